import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

const own = new pg.Client(process.env.DATABASE_URL);
await own.connect();

export async function handle({ id, payload, payload_raw }) {
  const { n = null, do: what, seconds = 0 } = payload ?? {};
  await own.query("INSERT INTO handled (n, message, raw) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [n, id, payload_raw]);
  await sleep(1000 * seconds);
  if (what === "die") process.kill(process.pid, "SIGKILL");
  if (what === "fail") throw new RangeError("it is no order");
}
