import type { ComponentProps } from "react";

interface FilesInputProps extends Omit<ComponentProps<"input">, "type" | "hidden" | "onChange"> {
  /** Whether a folder with all that is below it is chosen. */
  isFolder?: boolean;
  /** Called with one file or more. */
  onFiles: (files: FileList) => void;
}

/** Every browser supports this attribute, but React's types lack it. */
const wholeFolder = { webkitdirectory: "" };

/** A hidden input that a button opens. The same files may be chosen again. */
export function FilesInput({ isFolder = false, onFiles, ...input }: FilesInputProps) {
  return (
    <input
      multiple
      {...input}
      {...(isFolder && wholeFolder)}
      type="file"
      hidden
      onChange={({ target }) => {
        if (target.files?.length) onFiles(target.files);
        target.value = "";
      }}
    />
  );
}
