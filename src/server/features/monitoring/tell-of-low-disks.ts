import type { Locale } from "../../../shared/locale.ts";
import type { Deps } from "../../deps.ts";
import type { MailContent } from "../../mail/compose-mail.ts";
import { lockDisks, markDiskTold } from "../../nodes/nodes.repo.ts";
import { type DiskSpace, diskStateOf, lowBelow, refusedBelow } from "../../storage/disk/disk-space.ts";
import { mailOperator } from "../accounts/users/mail-operator.ts";

/** A disk has room again with this much more than where it counts as low, so that one that wavers causes one mail. */
const AGAIN = 1.2;

/** Mails the admin once about each node's disk that is low; again only after it had room meanwhile. */
export async function tellOfLowDisks(
  deps: Pick<Deps, "config" | "db" | "jobs" | "mailSeal" | "clock" | "log">,
): Promise<void> {
  const { config, clock, db, log } = deps;
  await db.transaction(async (tx) => {
    for (const { id, diskToldAt, ...space } of await lockDisks(tx)) {
      if (diskToldAt) {
        if (space.freeBytes >= lowBelow(space) * AGAIN) await markDiskTold(tx, id, null);
        continue;
      }
      if (diskStateOf(space) === "ok") continue;
      await markDiskTold(tx, id, clock.now());
      log.warn("disk.low", { nodeId: id, freeBytes: space.freeBytes, sizeBytes: space.sizeBytes });
      const node = { id, url: `${config.publicUrl}/his` };
      await mailOperator(deps, tx, (locale) => lowDiskMail(space, node, locale));
    }
  });
}

function lowDiskMail(space: DiskSpace, node: { id: string; url: string }, locale: Locale): MailContent {
  return {
    subject: /*i18n*/ { id: "mail.lowDisk.subject", message: "A disk is nearly full" },
    paragraphs: [
      diskStateOf(space) === "full" ? fullText : lowText,
      /*i18n*/ {
        id: "mail.lowDisk.rest",
        message: "Reading, signing in and deleting go on. With more room, uploads go on by themselves.",
      },
      /*i18n*/ { id: "mail.lowDisk.node", message: "Node: {node}" },
    ],
    highlight: {
      url: node.url,
      label: /*i18n*/ { id: "mail.lowDisk.button", message: "See the disks" },
    },
    values: {
      node: node.id,
      free: gigabytesText(space.freeBytes, locale),
      size: gigabytesText(space.sizeBytes, locale),
      floor: gigabytesText(refusedBelow(space), locale),
    },
  };
}

const lowText = /*i18n*/ {
  id: "mail.lowDisk.low",
  message: "{free} of {size} GB are left. Below {floor} GB, uploads are refused.",
};
const fullText = /*i18n*/ {
  id: "mail.lowDisk.full",
  message: "{free} of {size} GB are left. Below {floor} GB, uploads are refused: they are refused now.",
};

function gigabytesText(bytes: number, locale: Locale): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(bytes / 1024 ** 3);
}
