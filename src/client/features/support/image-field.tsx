import { Trans, useLingui } from "@lingui/react/macro";
import { useRef } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { CloseIcon } from "../../ui/entry-icons.tsx";
import { Field } from "../../ui/field.tsx";
import { PaperclipIcon } from "../../ui/icons.tsx";

interface ImageFieldProps {
  image: File | undefined;
  onImageChange: (image: File | undefined) => void;
  error: string | undefined;
  disabled: boolean;
}

/** A field for one optional image. */
export function ImageField({ image, onImageChange, error, disabled }: ImageFieldProps) {
  const { t } = useLingui();
  const input = useRef<HTMLInputElement>(null);
  const attach = useRef<HTMLButtonElement>(null);
  const pick = (file: File | undefined) => {
    // Allows the same file to be picked again after it was removed.
    if (input.current) input.current.value = "";
    onImageChange(file);
  };
  return (
    <Field
      label={<Trans id="support.image">Image (optional)</Trans>}
      hint={<Trans id="support.image.hint">JPG, PNG or GIF, up to 5 MB</Trans>}
      error={error}
    >
      {(tied) => (
        <div className="support-image">
          <input
            ref={input}
            type="file"
            className="sr-only"
            accept="image/jpeg,image/png,image/gif"
            disabled={disabled}
            onChange={({ target }) => pick(target.files?.[0])}
            tabIndex={-1}
            {...tied}
          />
          <Button ref={attach} disabled={disabled} onClick={() => input.current?.click()}>
            <PaperclipIcon small />
            <Trans id="support.image.pick">Attach image</Trans>
          </Button>
          {image && (
            <span className="support-file">
              <span>{image.name}</span>
              <IconButton
                label={t({ id: "support.image.remove", message: "Remove the image" })}
                onClick={() => {
                  pick(undefined);
                  // The pressed button goes with the image.
                  attach.current?.focus();
                }}
              >
                <CloseIcon />
              </IconButton>
            </span>
          )}
        </div>
      )}
    </Field>
  );
}
