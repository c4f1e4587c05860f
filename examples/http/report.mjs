// Reports that an event failed: await report({ id, type, data }, error). Needs DLQ_URL and DLQ_TOKEN.
import { randomUUID } from "node:crypto";

export async function report(event, { name, message, stack }) {
  const error = { type: name, message, stacktrace: stack };
  const body = JSON.stringify({ specversion: "1.0", source: "shop", ...event, error });
  const headers = {
    Authorization: `Bearer ${process.env.DLQ_TOKEN}`,
    "Idempotency-Key": randomUUID(),
    "Content-Type": "application/cloudevents+json",
  };
  for (let tries = 1; ; tries++) {
    const request = { method: "POST", headers, body, signal: AbortSignal.timeout(10_000) };
    const answer = await fetch(`${process.env.DLQ_URL}/api/v1/failures`, request).catch((away) => away);
    if (answer.ok) return answer.json();
    const isRefused = answer.status < 500 && answer.status !== 429;
    if (isRefused || tries === 5) throw new Error(answer.status ? await answer.text() : answer.message);
    await new Promise((done) => setTimeout(done, 1000 * (answer.headers?.get("Retry-After") ?? tries)));
  }
}
