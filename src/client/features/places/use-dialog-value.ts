import { useAtom, type WritableAtom } from "jotai";
import { useEffect } from "react";

type DialogId = WritableAtom<string | undefined, [string | undefined], void>;

/**
 * What the dialog that `dialogIdAtom` made is about: one of `values`, which are undefined while they are being loaded.
 * The dialog closes where its id is not among them (any more). Answers the value and what opens and closes the dialog.
 */
export function useDialogValue<Value extends { id: string }>(
  idAtom: DialogId,
  values: readonly Value[] | undefined,
): [Value | undefined, (id: string | undefined) => void] {
  const [openId, setOpenId] = useAtom(idAtom);
  const value = openId === undefined ? undefined : values?.find(({ id }) => id === openId);
  const isGone = openId !== undefined && values !== undefined && !value;
  useEffect(() => {
    if (isGone) setOpenId(undefined);
  }, [isGone, setOpenId]);
  return [value, setOpenId];
}
