/** Elements that handle Escape themselves: OHIF's dialogs, menus, popovers and fields. */
const HANDLES_ESCAPE =
  "[role=dialog], [role=alertdialog], [role=menu], [role=listbox], [data-radix-popper-content-wrapper]";
const FIELDS = "input, textarea, select, [contenteditable=true]";

interface ToolsWindow extends Window {
  /** OHIF puts cornerstone's tools here. */
  cornerstoneTools?: { store?: { state?: { isInteractingWithTool?: boolean } } };
}

/** Escape leaves the viewer, unless it closes a dialog or menu or cancels a measurement in progress. */
export function onEscape(leave: () => void): void {
  document.addEventListener(
    "keydown",
    (event) => {
      // Checked in the capture phase, before an open dialog has closed.
      if (event.key === "Escape" && !event.isComposing && !isHandledElsewhere(event.target)) leave();
    },
    true,
  );
}

function isHandledElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector(HANDLES_ESCAPE) || document.fullscreenElement) return true;
  if (target instanceof Element && target.closest(FIELDS)) return true;
  return (window as ToolsWindow).cornerstoneTools?.store?.state?.isInteractingWithTool === true;
}
