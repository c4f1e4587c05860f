// node worker.mjs QUEUE ./handle.mjs     DATABASE_URL: as a member of the role dlq_consumer
import pg from "pg";
const [queue, handler] = process.argv.slice(2);
const { handle } = await import(new URL(handler, `file://${process.cwd()}/`));
const db = new pg.Client(process.env.DATABASE_URL);
let wake = () => {};
db.on("notification", (notice) => notice.payload === queue && wake());
await db.connect().then(() => db.query("LISTEN message_queue"));
const clean = (text) => String(text).replaceAll("\0", "\ufffd"); // PostgreSQL stores no NUL
for (;;) {
  const notice = new Promise((resolve) => setTimeout((wake = resolve), 2000));
  const [message] = (await db.query("SELECT * FROM queue_claim($1, lease_seconds => 30)", [queue])).rows;
  const { id, token } = message ?? {};
  const renewal = setInterval(() => db.query("SELECT queue_extend(ARRAY[$1::bigint], $2, 30)", [id, token]), 10000);
  const complete = () => db.query("SELECT queue_complete(ARRAY[$1::bigint], $2)", [id, token]);
  const fail = (thrown, { name = "Error", message: text = String(thrown), stack = "" } = thrown ?? {}) =>
    db.query("SELECT queue_fail($1, $2, $3, error_stacktrace => $4)", [id, token, clean(`${name}: ${text}`), clean(stack)]);
  await (message ? Promise.resolve(message).then(handle).then(complete, fail) : notice);
  clearInterval(renewal);
}
