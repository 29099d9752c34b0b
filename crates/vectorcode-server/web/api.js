// Client of the server's REST API. Every failure becomes a `Problem` with a message and, if there is one, a hint.

/** A failed request; `status` is 0 when the server could not be reached. */
export class Problem extends Error {
  constructor(status, message, hint) {
    super(message);
    Object.assign(this, { status, hint });
  }
}

const UNREACHABLE = new Problem(0, "The server cannot be reached.", "Start it again with: vectorcode serve --http");

/** Servers that other machines can reach require a token, which is stored for this tab only. */
let token = sessionStorage.getItem("token") ?? "";

export function setToken(given) {
  token = given;
  sessionStorage.setItem("token", given);
}

/** The commit that the page shows, sent with operations on code; "" stands for the files on disk. */
let ref = "";

export function setRef(given) {
  ref = given;
}

const OF_CODE = /^(search|similar|overview|folder|file|references|map|symbols|history|graph\/.*)$/;

const isEmpty = (value) => value === "" || value === null || value === undefined;

/** GET with arguments in the URL. Empty ones are left out. */
export function get(path, args = {}, signal) {
  const given = Object.entries({ ...args, ref: OF_CODE.test(path) ? ref : "" }).filter(([, value]) => !isEmpty(value));
  const query = new URLSearchParams(given).toString();
  return call(`/api/v1/${path}${query ? `?${query}` : ""}`, { signal });
}

/** POST with arguments as JSON. */
export const post = (path, args = {}) =>
  call(`/api/v1/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(args),
  });

async function call(url, options) {
  const answer = await request(url, options);
  const body = await answer.json().catch((error) => {
    // The request was cancelled while its body arrived.
    if (error.name === "AbortError") throw error;
    return null;
  });
  if (answer.ok) return body;
  const error = body?.error ?? body ?? {};
  throw new Problem(answer.status, error.message ?? `The server responded with status ${answer.status}.`, error.hint);
}

async function request(url, options = {}) {
  const headers = { ...options.headers, ...(token && { authorization: `Bearer ${token}` }) };
  try {
    return await fetch(url, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw UNREACHABLE;
  }
}

/**
 * Listens to the server's events until the connection ends, then rejects. `EventSource` cannot send a token, so the stream
 * is parsed here.
 * @param {(name: string, data: any) => void} listener
 */
export async function events(listener, signal) {
  const answer = await request("/api/v1/events", { signal, headers: { accept: "text/event-stream" } });
  if (!answer.ok) throw new Problem(answer.status, `The server responded with status ${answer.status}.`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true }));
    if (done) throw UNREACHABLE;
    const blocks = (pending + value).split(/\r?\n\r?\n/);
    pending = blocks.pop();
    blocks.map(parseEvent).forEach((event) => event && listener(event.name, event.data));
  }
}

function parseEvent(block) {
  let name = "message";
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}
