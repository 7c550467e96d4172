import { Trans, useLingui } from "@lingui/react/macro";
import { useRef, useState } from "react";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Dropdown, DropdownItem } from "../../../ui/dropdown.tsx";
import { CloseIcon } from "../../../ui/entry-icons.tsx";
import { PHONE, useMediaQuery } from "../../../ui/hooks/use-media-query.ts";
import { FileArchiveIcon, FolderOpenIcon, PlusIcon } from "../../../ui/icons.tsx";
import { sizeText } from "../../../ui/text/size-text.ts";
import type { Picked } from "../../pick/picked-files.ts";
import { SourceInputs } from "../pick/source-inputs.tsx";
import type { DraftSource } from "./draft-state.ts";

interface SourceChipsProps {
  sources: readonly DraftSource[];
  onRemove: (id: string) => void;
  onPick: (picked: Picked[]) => void;
}

/** The picked ZIPs and folders, and the way to add others. A phone shows the first and the number of the rest. */
export function SourceChips({ sources, onRemove, onPick }: SourceChipsProps) {
  const isPhone = useMediaQuery(PHONE);
  const [isWhole, setWhole] = useState(false);
  const shown = isPhone && !isWhole ? sources.slice(0, 1) : sources;
  const more = sources.length - shown.length;
  const { t } = useLingui();
  return (
    <div className="source-chips">
      {shown.map((source) => (
        <SourceChip key={source.id} source={source} onRemove={() => onRemove(source.id)} />
      ))}
      {more > 0 && (
        <Button
          className="source-more"
          aria-label={t({ id: "upload.sources.all", message: `Show ${more} more` })}
          onClick={() => setWhole(true)}
        >
          + {more}
        </Button>
      )}
      <AddSources onPick={onPick} />
    </div>
  );
}

function SourceChip({ source, onRemove }: { source: DraftSource; onRemove: () => void }) {
  const { i18n, t } = useLingui();
  const { name, kind, sizeBytes } = source;
  const SourceIcon = kind === "zip" ? FileArchiveIcon : FolderOpenIcon;
  return (
    <span className="source-chip">
      <SourceIcon small />
      <span className="source-name">{name}</span>
      {sizeBytes !== undefined && <span className="source-size">{sizeText(i18n, sizeBytes)}</span>}
      <IconButton label={t({ id: "upload.sources.remove", message: `Remove ${name}` })} onClick={onRemove}>
        <CloseIcon small />
      </IconButton>
    </span>
  );
}

function AddSources({ onPick }: { onPick: (picked: Picked[]) => void }) {
  const zips = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  return (
    <>
      <Dropdown
        trigger={
          <Button kind="quiet" size="small">
            <PlusIcon small />
            <Trans id="upload.sources.add">Add</Trans>
          </Button>
        }
      >
        <DropdownItem onSelect={() => zips.current?.click()}>
          <FileArchiveIcon small />
          <Trans id="upload.pickZips">Choose ZIPs</Trans>
        </DropdownItem>
        <DropdownItem onSelect={() => folder.current?.click()}>
          <FolderOpenIcon small />
          <Trans id="upload.pickFolder">Choose folder</Trans>
        </DropdownItem>
      </Dropdown>
      <SourceInputs zips={zips} folder={folder} disabled={false} onPick={onPick} />
    </>
  );
}
