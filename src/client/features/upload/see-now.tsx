import { Trans } from "@lingui/react/macro";
import { Suspense, useMemo, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { EyeIcon } from "../../ui/entry-icons.tsx";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import type { PreparedUpload } from "./prepare-upload.ts";

const LocalOpening = lazyChunk(() => import("../local-view/local-opening.tsx"));

/** Shows the images of what is being sent, from this device. Nothing if the browser does not have the bytes any more. */
export function SeeNow({ upload }: { upload: Pick<PreparedUpload, "zip" | "fileName"> }) {
  const [isOpen, setOpen] = useState(false);
  const { zip, fileName } = upload;
  const picked = useMemo(() => ({ kind: "zip" as const, file: new File([zip], fileName) }), [zip, fileName]);
  if (zip.size === 0) return null;
  if (!isOpen) {
    return (
      <Button className="upload-see" onClick={() => setOpen(true)}>
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
