import { useLingui } from "@lingui/react/macro";
import { atom, getDefaultStore, useAtom } from "jotai";
import { Toast as RadixToast } from "radix-ui";
import { IconButton } from "./button.tsx";
import { CircleAlertIcon, CircleCheckIcon, ClockIcon, CloseIcon } from "./entry-icons.tsx";
import { useEscapePastToast } from "./hooks/use-escape-past-toast.ts";

export interface ToastMessage {
  tone: "ok" | "bad" | "info";
  title: string;
  text?: string;
}

const DURATION_MS = 5_000;
const SWIPE_THRESHOLD_PX = 50;

const icons = { ok: CircleCheckIcon, bad: CircleAlertIcon, info: ClockIcon };
/** The toast that is shown now. */
export const shownToastAtom = atom<(ToastMessage & { id: number }) | undefined>(undefined);
let lastId = 0;

/** Shows a toast, which replaces the current one. It can be called from anywhere. */
export function showToast(message: ToastMessage): void {
  lastId += 1;
  getDefaultStore().set(shownToastAtom, { ...message, id: lastId });
}

/** The region in which toasts appear, once per page. F8 moves the focus here. */
export function Toaster() {
  const { t } = useLingui();
  const [toast, setToast] = useAtom(shownToastAtom);
  useEscapePastToast(toast !== undefined, () => setToast(undefined));
  const ToneIcon = toast && icons[toast.tone];
  const label = t({ id: "toast.label", message: "Notification" });
  return (
    <RadixToast.Provider duration={DURATION_MS} swipeThreshold={SWIPE_THRESHOLD_PX} label={label}>
      {toast && ToneIcon && (
        <RadixToast.Root
          key={toast.id}
          className={`toast is-${toast.tone}`}
          type={toast.tone === "bad" ? "foreground" : "background"}
          onOpenChange={(open) => {
            if (!open) setToast((current) => (current?.id === toast.id ? undefined : current));
          }}
        >
          <ToneIcon />
          <div className="min-w-0 flex-1">
            <RadixToast.Title className="toast-title">{toast.title}</RadixToast.Title>
            {toast.text && (
              <RadixToast.Description className="toast-text">{toast.text}</RadixToast.Description>
            )}
          </div>
          <RadixToast.Close asChild>
            <IconButton label={t({ id: "action.close", message: "Close" })} className="-my-1">
              <CloseIcon />
            </IconButton>
          </RadixToast.Close>
          <span className="toast-life" aria-hidden="true" />
        </RadixToast.Root>
      )}
      <RadixToast.Viewport hotkey={["F8"]} label={`${label} ({hotkey})`} className="toast-place" />
    </RadixToast.Provider>
  );
}
