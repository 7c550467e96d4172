import { atom, getDefaultStore } from "jotai";
import * as z from "zod/mini";
import { type CurrentUser, currentUserSchema, type SignedInUser } from "../shared/api/users.ts";
import { localStore, sessionStore } from "./runtime/browser-storage.ts";
import { isSignedOut, markOf, noteSignedOut } from "./signed-out.ts";

/** `user` is absent until the current-user call has answered for a token kept from an earlier visit. */
export interface Session {
  token: string;
  user?: CurrentUser;
}

/** Why a session ended: the person logged out, or the server no longer accepts it. */
export type SessionEnd = "logout" | "expired";

const SESSION_KEYS = ["health-auth", "healthAuth"] as const;
const TOKEN_KEY = "token";
/** Whose token it is, so that nobody else's sign-out ends it. */
const OWNER_KEY = "token-owner";
/** A session of this tab ended while somebody else stays connected: the tab does not become theirs. */
const LEFT_KEY = "left-here";
const CHANNEL = "session";
/** What the browser shows without a connection. */
const KEPT_KEY = "kept-with-session";

const storedSessionSchema = z.object({
  token: z.optional(z.string()),
  user: z.optional(z.unknown()),
});

const ownerSchema = z.object({ mark: z.number(), userId: z.string() });

const store = getDefaultStore();
const sessionState = atom<Session | undefined>(undefined);
const sessionEndState = atom<SessionEnd | undefined>(undefined);

/** The session of this tab; undefined while there is none. */
export const sessionAtom = atom((get) => get(sessionState));
export const sessionEndAtom = atom((get) => get(sessionEndState));

/** Reads the stored session, from session storage first, then local storage. Unreadable data count as no session. */
export function readStoredSession(): Session | undefined {
  for (const key of SESSION_KEYS) {
    const stored = checkStoredSession(sessionStore.readJson(key));
    if (stored) return stored;
  }
  const token = sessionStore.read(LEFT_KEY) === undefined ? localStore.read(TOKEN_KEY) : undefined;
  return token ? { token } : undefined;
}

/** Whether the next page of this tab has the session, too. */
export function outlivesPage(): boolean {
  return readStoredSession() !== undefined && sessionStore.outlivesPage(SESSION_KEYS[0]);
}

/**
 * Resumes the stored session, if there is one, and returns it. This tab's copy of a session that the person signed out of in another
 * tab is erased.
 */
export function restoreSession(): Session | undefined {
  const kept = readStoredSession();
  const isLeft = kept !== undefined && isSignedOut(kept.token);
  if (isLeft) {
    for (const key of [...SESSION_KEYS, KEPT_KEY]) sessionStore.write(key, undefined);
  }
  const session = isLeft ? readStoredSession() : kept;
  isOver = false;
  store.set(sessionState, session);
  if (isLeft && !session) store.set(sessionEndState, "logout");
  return session;
}

/**
 * Gives this tab the session that it resumed as its own. One that stays in the browser may be replaced by another person's at any
 * time, and until the server has answered, such as without a connection, the tab would go on with that one.
 */
export function holdSession(): void {
  const session = store.get(sessionState);
  if (session) keepSession(session);
}

/** Whether this page's session ended. The browser may keep somebody else's; what this page still does is not theirs. */
let isOver = false;
let lentToken: string | undefined;

/** Gives the calls of this page a token that is not a session's, in the place of any session. `undefined` takes it back. */
export function lendToken(token: string | undefined): void {
  lentToken = token;
}

/** The token to send: a lent one, the stored one, or else the current user's. */
export function currentToken(): string | undefined {
  if (lentToken !== undefined) return lentToken;
  if (isOver) return undefined;
  return readStoredSession()?.token ?? store.get(sessionState)?.token;
}

/** Starts a session in this tab; with `keepConnected` later visits and other tabs have it too. */
export function beginSession({ token, ...user }: SignedInUser, options: { keepConnected: boolean }): void {
  dropKept();
  sessionStore.write(LEFT_KEY, undefined);
  keepSession({ token, user });
  keepConnected(options.keepConnected ? { token, user } : undefined);
  store.set(sessionEndState, undefined);
}

/** Replaces the session's user with the server's current answer. One that says nothing new changes nothing. */
export function refreshSessionUser(user: CurrentUser): void {
  const token = currentToken();
  const known = store.get(sessionState);
  if (known?.token === token && JSON.stringify(known?.user) === JSON.stringify(user)) return;
  if (token) keepSession({ token, user });
}

/** Replaces the session's token wherever the browser keeps it, because a changed password ended the old one. */
export function renewSession({ token, user }: Required<Session>): void {
  if (isStaying()) keepConnected({ token, user });
  keepSession({ token, user });
  announceSessionEnd("password");
}

/** Removes the session and all its stored data, and makes other tabs check theirs. */
export function endSession(reason: SessionEnd): void {
  // Whoever lent the token learns from the call that it is over; the session of this browser is another one.
  if (lentToken !== undefined) return;
  const ended = currentToken();
  const isLogout = reason === "logout";
  if (isLogout && ended) noteSignedOut(ended);
  const staying = localStore.read(TOKEN_KEY);
  // Another tab may have renewed the session meanwhile; only a logout ends the renewed one too.
  const isReplaced = staying !== undefined && staying !== ended;
  const isOthers = isReplaced && isOfAnother(staying);
  const staysOn = isReplaced && (!isLogout || isOthers);
  for (const key of SESSION_KEYS) sessionStore.write(key, undefined);
  if (!staysOn) keepConnected(undefined);
  if (isOthers) sessionStore.write(LEFT_KEY, "1");
  dropKept({ inBrowser: !staysOn });
  isOver = true;
  store.set(sessionState, undefined);
  store.set(sessionEndState, reason);
  announceSessionEnd(reason);
}

/** Ends the session once the server refuses its token. A call that carried the token of before a renewal ends nothing. */
export function endSessionIfRefused(status: number, token: string | undefined): void {
  if (status === 401 && token && token === currentToken()) endSession("expired");
}

/** Ends the session if the person signed out of it in another tab. Does not ask the server, which may be out of reach. */
export function endSessionIfSignedOut(): void {
  const token = currentToken();
  if (token && isSignedOut(token)) endSession("expired");
}

/**
 * Keeps a value until the session ends: in this tab, or in the browser if the person stays connected. It replaces the one
 * that was kept before. Nothing is kept once there is no session.
 */
export function keepWithSession(value: unknown): void {
  if (currentToken() === undefined) return;
  (isStaying() ? localStore : sessionStore).write(KEPT_KEY, JSON.stringify(value));
}

/** Whether this session outlives the tab; somebody else may have one that does, begun in another tab. */
function isStaying(): boolean {
  const token = readStoredSession()?.token;
  return token !== undefined && localStore.read(TOKEN_KEY) === token;
}

/** What {@link keepWithSession} kept with this session: not what the browser keeps for another person, who stays connected. */
export function readKept(): unknown {
  return sessionStore.readJson(KEPT_KEY) ?? (isStaying() ? localStore.readJson(KEPT_KEY) : undefined);
}

function dropKept({ inBrowser = true } = {}): void {
  sessionStore.write(KEPT_KEY, undefined);
  if (inBrowser) localStore.write(KEPT_KEY, undefined);
}

/** Keeps a session in the browser for later visits and other tabs; `undefined` removes the one that is kept. */
function keepConnected(session: Required<Session> | undefined): void {
  localStore.write(TOKEN_KEY, session?.token);
  const owner = session && { mark: markOf(session.token), userId: session.user.id };
  localStore.write(OWNER_KEY, owner && JSON.stringify(owner));
}

/** Whether a token that the browser keeps is known to be another person's than this session's. */
function isOfAnother(token: string): boolean {
  const owner = ownerSchema.safeParse(localStore.readJson(OWNER_KEY));
  const own = store.get(sessionState)?.user;
  return (
    own !== undefined && owner.success && owner.data.mark === markOf(token) && owner.data.userId !== own.id
  );
}

/**
 * Calls `listener` when another tab's session ended. This tab may have a different session, so ask the server. Returns the
 * function that stops listening.
 */
export function onSessionEndElsewhere(listener: (message: MessageEvent) => void): () => void {
  const channel = openChannel();
  channel?.addEventListener("message", listener);
  return () => channel?.close();
}

/** Makes the other tabs ask the server whether their session is still valid, and says why it may not be. */
export function announceSessionEnd(reason: SessionEnd | "password"): void {
  const channel = openChannel();
  channel?.postMessage(reason);
  channel?.close();
}

/** Undefined where the person lets no page keep anything: Firefox counts messages between tabs as that. */
function openChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(CHANNEL);
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

function keepSession(session: Session): void {
  isOver = false;
  sessionStore.write(SESSION_KEYS[0], JSON.stringify({ user: session.user, token: session.token }));
  store.set(sessionState, session);
}

function checkStoredSession(kept: unknown): Session | undefined {
  const stored = storedSessionSchema.safeParse(kept);
  if (!stored.success) return undefined;
  const user = currentUserSchema.safeParse(stored.data.user);
  const token = stored.data.token ?? tokenOf(stored.data.user);
  return token ? { token, ...(user.success && { user: user.data }) } : undefined;
}

function tokenOf(user: unknown): string | undefined {
  const withToken = z.object({ token: z.string() }).safeParse(user);
  return withToken.success ? withToken.data.token : undefined;
}
