import type { Node } from "../nodes/node.ts";

const PREFIX = "form-";

/** Names a new file of a form in the staging area. The name holds the boot id, because a run that is killed may leave the file. */
export function newSpoolName({ bootId }: Pick<Node, "bootId">): string {
  return `${PREFIX}${bootId}-${Bun.randomUUIDv7()}`;
}

/** Whether a former run left this file of the staging area: it is of a form, and not of this run. */
export function isLeftSpool(name: string, { bootId }: Pick<Node, "bootId">): boolean {
  return name.startsWith(PREFIX) && !name.startsWith(`${PREFIX}${bootId}-`);
}
