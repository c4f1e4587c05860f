// What to do when the session is over.
import { given } from "./page.js";

/** Whether an answer came from the sign-in page: a fragment never does while one is signed in. */
export const isSignIn = (address) => new URL(address, location.href).pathname === given("login");

/** Leave for the sign-in page, and come back here afterwards. */
export function signInAgain() {
  location.assign(`${given("login")}?next=${encodeURIComponent(location.pathname + location.search)}`);
}
