import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

/** By how a kind begins; the first that fits. */
const names: [begins: string, name: MessageDescriptor][] = [
  ["transfer", msg({ id: "jobs.transfer", message: "Transfer to the archive store" })],
  ["mail.send", msg({ id: "jobs.mail", message: "Sending a mail" })],
  ["auth.forgot", msg({ id: "jobs.mail", message: "Sending a mail" })],
  ["thumbnails.", msg({ id: "jobs.thumbnails", message: "Making pictures of an exam" })],
  ["integrity.", msg({ id: "jobs.integrity", message: "Checking stored bytes" })],
  ["pix.", msg({ id: "jobs.pix", message: "Asking the bank about a Pix" })],
  ["subscriptions.", msg({ id: "jobs.notices", message: "Telling that a subscription ends" })],
  ["removals.", msg({ id: "jobs.removals", message: "Deleting removed exams" })],
  ["storage.purge", msg({ id: "jobs.purge", message: "Deleting bytes of deleted exams" })],
  ["staging.purge", msg({ id: "jobs.purge", message: "Deleting bytes of deleted exams" })],
  ["uploads.", msg({ id: "jobs.uploads", message: "Clearing up after an upload" })],
  ["nodes.", msg({ id: "jobs.nodes", message: "Taking over from a node that is gone" })],
  ["disks.", msg({ id: "jobs.disks", message: "Watching the disks" })],
];

const other = msg({ id: "jobs.other", message: "Work in the background" });

export function jobName(kind: string): MessageDescriptor {
  return names.find(([begins]) => kind.startsWith(begins))?.[1] ?? other;
}
