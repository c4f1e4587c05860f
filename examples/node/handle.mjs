// What you do with a message. An error that you throw fails it: the queue's policy says what comes next.
export async function handle({ payload }) {
  console.log("handled", payload);
}
