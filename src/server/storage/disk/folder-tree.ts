import { lstat, mkdir, rmdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { Turns } from "../../runtime/turns.ts";
import { StoreUnavailable } from "../object-store.ts";
import { sync } from "./durable-file.ts";
import { errnoOf } from "./fs-failure.ts";

const MAX_REMEMBERED = 10_000;

/** Makes folders below one root durably and removes empty ones, without one undoing the other. */
export interface FolderTree {
  /** Makes `folder` if it is missing and runs `work` once its entry is durable. Nothing removes it meanwhile. */
  hold<T>(folder: string, work: () => Promise<T>): Promise<T>;
  /** Removes `folder` and its parents below the root, as long as they are empty and nobody works in them. */
  prune(folder: string): Promise<void>;
}

export function createFolderTree(root: string): FolderTree {
  const holders = new Map<string, number>();
  const durable = new Set<string>([root]);
  /** Changes run one at a time: making a folder while another call removes its parent would make one of them fail. */
  const turns = new Turns();

  function release(folder: string): void {
    const others = (holders.get(folder) ?? 1) - 1;
    if (others > 0) holders.set(folder, others);
    else holders.delete(folder);
  }

  async function make(folder: string): Promise<void> {
    for (const step of stepsTo(root, folder)) {
      if (await makeFolder(step)) durable.delete(step);
    }
  }

  async function makeDurable(folder: string): Promise<void> {
    for (const step of stepsTo(root, folder)) {
      if (durable.has(step)) continue;
      await sync(dirname(step));
      if (durable.size >= MAX_REMEMBERED) durable.clear();
      durable.add(step);
    }
  }

  return {
    async hold(folder, work) {
      await turns.run(async () => {
        await make(folder);
        holders.set(folder, (holders.get(folder) ?? 0) + 1);
      });
      try {
        await makeDurable(folder);
        return await work();
      } finally {
        release(folder);
      }
    },

    async prune(folder) {
      for (const step of stepsTo(root, folder).reverse()) {
        const removed = await turns.run(async () => {
          if (holders.has(step)) return false;
          durable.delete(step);
          return removeIfEmpty(step);
        });
        if (!removed) return;
      }
    },
  };
}

/** `["/root/a", "/root/a/b"]` for the folder `/root/a/b` below `/root`. */
function stepsTo(root: string, folder: string): string[] {
  const names = relative(root, folder).split(sep).filter(Boolean);
  return names.map((_, index) => join(root, ...names.slice(0, index + 1)));
}

/** Returns whether the folder was missing. Refuses a symbolic link, which may lead out of the root. */
async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, 0o700);
    return true;
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    if (!(await lstat(folder)).isDirectory())
      throw new StoreUnavailable("disk: not a folder", { cause: error });
    return false;
  }
}

async function removeIfEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "")) return false;
    throw error;
  }
}
