import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { type StorageStatus, storageStatuses } from "../../../shared/api/studies.ts";

const looks: Record<StorageStatus, { text: MessageDescriptor; className: string }> = {
  local: { text: msg({ id: "storage.local", message: "Local" }), className: "" },
  transferring: {
    text: msg({ id: "storage.transferring", message: "Transferring" }),
    className: "is-moving",
  },
  b2: { text: msg({ id: "storage.b2", message: "B2" }), className: "is-ok" },
  error: { text: msg({ id: "storage.error", message: "Error" }), className: "is-bad" },
};
const unknown = { text: msg({ id: "storage.unknown", message: "Unknown" }), className: "" };

/** The state of the study's storage: a dot and a word, or the dot alone beside the viewer's button. */
export function StorageDot({ status, wordless = false }: { status: StorageStatus; wordless?: boolean }) {
  return (
    <span className={`dot ${appearanceOf(status).className}`}>
      <span className={wordless ? "sr-only" : undefined}>
        <StorageName status={status} />
      </span>
    </span>
  );
}

export function StorageName({ status }: { status: StorageStatus }) {
  const { i18n } = useLingui();
  return i18n._(appearanceOf(status).text);
}

function appearanceOf(status: StorageStatus) {
  return storageStatuses.includes(status) ? looks[status] : unknown;
}
