import type { Node } from "../nodes/node.ts";

const PREFIX = "form-";

/** A new name in the staging area for the file of a form. It has the run that makes it, whose kill may leave the file. */
export function newSpoolName({ bootId }: Pick<Node, "bootId">): string {
  return `${PREFIX}${bootId}-${Bun.randomUUIDv7()}`;
}

/** Whether a former run left this file of the staging area: it is of a form, and not of this run. */
export function isLeftSpool(name: string, { bootId }: Pick<Node, "bootId">): boolean {
  return name.startsWith(PREFIX) && !name.startsWith(`${PREFIX}${bootId}-`);
}
