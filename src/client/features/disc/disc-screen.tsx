import { Trans, useLingui } from "@lingui/react/macro";
import { Suspense, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { EyeIcon } from "../../ui/entry-icons.tsx";
import { Toaster } from "../../ui/toast.tsx";
import LocalOpening from "../local-view/local-opening.tsx";
import { useFocusBack } from "../local-view/use-focus-back.ts";
import { usePageDrop } from "../local-view/use-page-drop.ts";
import { FilesInput } from "../pick/files-input.tsx";
import { type Picked, pickDropped, pickFolder } from "../pick/picked-files.ts";

/**
 * The images of the medium on which this page lies. Browsers let a page of a disc read nothing beside it, so the person names the
 * folder once, or drops it anywhere.
 */
export function DiscScreen() {
  const { t } = useLingui();
  const [opened, setOpened] = useState<{ id: number; picked: Picked | Promise<Picked> }>();
  const folder = useRef<HTMLInputElement>(null);
  const open = (picked: Picked | Promise<Picked>) =>
    setOpened((before) => ({ id: (before?.id ?? 0) + 1, picked }));
  usePageDrop((transfer) => open(pickDropped(transfer)));
  const ask = () => folder.current?.click();
  const section = useRef<HTMLElement>(null);
  useFocusBack(section, opened !== undefined);
  return (
    <section ref={section} className="local">
      {opened ? (
        <Suspense>
          <LocalOpening
            key={opened.id}
            picked={opened.picked}
            onAnother={ask}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      ) : (
        <div className="local-card">
          <span className="light-box" aria-hidden="true">
            <EyeIcon />
          </span>
          <div>
            <h2>
              <Trans id="disc.title">View the images here</Trans>
            </h2>
            <p>
              <Trans id="disc.text">
                Choose the folder or disc that holds this page, or drop it here. The files never leave this
                device.
              </Trans>
            </p>
            <div className="local-actions">
              <Button kind="lit" onClick={ask}>
                <Trans id="disc.pick">Choose the folder</Trans>
              </Button>
            </div>
          </div>
        </div>
      )}
      <FilesInput
        ref={folder}
        isFolder
        aria-label={t({ id: "disc.input", message: "Folder of this disc" })}
        onFiles={(chosen) => open(pickFolder(chosen))}
      />
      <Toaster />
    </section>
  );
}
