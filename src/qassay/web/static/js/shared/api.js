// Calls to the server.

/** A reply that is no success. */
export class Refused extends Error {
  constructor(status, code, message, wait) {
    super(message);
    this.status = status;
    this.code = code;
    /** Seconds after which to try again. */
    this.wait = wait;
  }
}

/** The server could not be reached. */
export class Unreachable extends Error {}

/** Whom the page acts for: the server refuses what it sends after another invitation was opened in the same browser. */
let person = null;

/** Say whom the page acts for from now on. */
export function actFor(id) {
  person = id;
}

/** Return a random UUID; browsers have `randomUUID` on encrypted pages and on this machine alone. */
export function newUuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

async function exchange(method, path, body, headers) {
  const request = { method, headers: person === null ? { ...headers } : { ...headers, "Qassay-Person": String(person) }, credentials: "same-origin", cache: "no-store" };
  if (body !== undefined) {
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  let reply;
  try {
    reply = await fetch(`/api/v1/${path}`, request);
  } catch {
    throw new Unreachable("the server cannot be reached");
  }
  if (reply.ok || reply.status === 304) return reply;
  let told = {};
  try {
    told = await reply.json();
  } catch {
    // A proxy may answer with a page of its own.
  }
  const wait = Number(reply.headers.get("Retry-After")) || 1;
  throw new Refused(reply.status, told.code ?? "", told.error ?? `the server answered ${reply.status}`, wait);
}

/** Return what a path holds. */
export async function get(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const words = new URLSearchParams(given).toString();
  return (await exchange("GET", words ? `${path}?${words}` : path)).json();
}

/** Send something, and return the reply. */
export async function post(path, body = {}) {
  return (await exchange("POST", path, body)).json();
}

/** Replace something, and return the reply. */
export async function put(path, body) {
  return (await exchange("PUT", path, body)).json();
}

/** Return a function that fetches a path, and answers null as long as nothing changed. */
export function watched(path) {
  let tag = null;
  return async () => {
    const reply = await exchange("GET", path, undefined, tag === null ? {} : { "If-None-Match": tag });
    if (reply.status === 304) return null;
    tag = reply.headers.get("ETag");
    return reply.json();
  };
}

/** Return the number of the project that the page is about. */
export function projectNumber() {
  return Number(location.pathname.split("/")[2]);
}
