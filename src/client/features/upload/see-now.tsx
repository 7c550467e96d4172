import { Trans } from "@lingui/react/macro";
import { Suspense, useMemo, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { EyeIcon } from "../../ui/entry-icons.tsx";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { type LocalPick, localFilesOf, nameOfPick } from "../local-view/local-pick.ts";

const LocalOpening = lazyChunk(() => import("../local-view/local-opening.tsx"));

/** Shows the images of what is being sent, from this device. Nothing if the browser does not have the bytes any more. */
export function SeeNow({ picks }: { picks: readonly LocalPick[] }) {
  const [isOpen, setOpen] = useState(false);
  const picked = useMemo(() => together(picks), [picks]);
  if (!picked) return null;
  if (!isOpen) {
    return (
      <Button kind="quiet" size="small" className="upload-see" onClick={() => setOpen(true)}>
        <EyeIcon small />
        <Trans id="upload.seeNow">View now</Trans>
      </Button>
    );
  }
  return (
    <Suspense>
      <LocalOpening picked={picked} onClose={() => setOpen(false)} />
    </Suspense>
  );
}

/** Several choices as one: the files of a folder, ZIPs among them. */
function together(picks: readonly LocalPick[]): LocalPick | undefined {
  const [first, another] = picks;
  if (!first || !another) return first;
  const files = picks.flatMap(localFilesOf).map(({ path, blob }) => ({ path, file: blob }));
  return { kind: "folder", name: nameOfPick(first), files };
}
