import { useAtomValue } from "jotai";
import { useEffect, useRef } from "react";
import {
  holdSession,
  readStoredSession,
  type SessionEnd,
  sessionAtom,
  sessionEndAtom,
} from "../../session.ts";
import { useIsOnline } from "../../ui/hooks/use-is-online.ts";
import { currentPath, replacePath } from "../places/his-location.ts";
import { parsePlace, pathOf } from "../places/place.ts";
import { eraseKeptInTab, eraseKeptOfOthers } from "../session/kept-in-tab.ts";
import { dropKeptLink } from "../session/kept-link.ts";
import { keepPlace, takeKeptPlace } from "../session/kept-place.ts";
import { type KnownEnd, knownEndAtom } from "../session/known-end.ts";
import { isUploadingAtom } from "../upload/tray/upload-jobs.ts";

/**
 * Leaves once there is a connection; returns whether that is missing, because only this page opens without one. Unless they signed out,
 * the person comes back to where they were.
 */
export function useLeaveWithoutSession(userId: string | undefined): boolean {
  const isSignedIn = useAtomValue(sessionAtom) !== undefined;
  const end = useAtomValue(sessionEndAtom);
  const isOnline = useIsOnline();
  /** Who was signed in: the end of a session takes its user along. */
  const lastUserId = useRef(userId);
  useEffect(() => {
    if (userId === undefined) return;
    lastUserId.current = userId;
    eraseKeptOfOthers(userId);
  }, [userId]);
  const knownEnd = useAtomValue(knownEndAtom);
  useEffect(() => {
    if (end !== "logout" && !(end && knownEnd === "logout")) return;
    eraseKeptInTab();
    dropKeptLink();
  }, [end, knownEnd]);
  const isUploading = useAtomValue(isUploadingAtom);
  /** Whether uploads went with the session, which takes them out of the tray. */
  const wasUploading = useRef(isUploading);
  useEffect(() => {
    if (isSignedIn) wasUploading.current = isUploading;
  }, [isSignedIn, isUploading]);
  const marks = marksOf(end, knownEnd);
  useEffect(() => {
    if (isSignedIn || !isOnline) return;
    if (end !== "logout") keepPlace(lastUserId.current, pathToKeep(lastUserId.current));
    const stopped = end === "expired" && wasUploading.current ? "&uploads=stopped" : "";
    window.location.replace(`/${marks}${stopped}`);
  }, [isSignedIn, isOnline, end, marks]);
  return !isSignedIn && !isOnline;
}

/** With these the entry page says why it is shown. */
function marksOf(end: SessionEnd | undefined, knownEnd: KnownEnd | undefined): string {
  if (end !== "expired") return knownEnd === "deleted" ? "?account=deleted" : "";
  return knownEnd === "password" ? "?password=changed" : "?expired=true";
}

/** The whole place for the person it belongs to. Without a known person the view alone: a dialog over it may be about their exams. */
function pathToKeep(userId: string | undefined): string {
  const place = parsePlace(currentPath());
  return pathOf(userId === undefined ? { view: place.view, steps: [] } : place);
}

/**
 * Begins a page of the session that this tab resumed. Returns the path of the place that it opens at: where the same person's session
 * expired, or else what the browser's history says.
 */
export function openingPath(): string {
  holdSession();
  const kept = takeKeptPlace(readStoredSession()?.user?.id);
  if (kept !== undefined) replacePath(kept);
  return currentPath();
}
