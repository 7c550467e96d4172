import { Suspense } from "react";
import { Boundary } from "../../ui/boundary.tsx";
import { BellIcon } from "../../ui/icons.tsx";
import { lazyChunk } from "../../ui/lazy-chunk.ts";

const NotificationBell = lazyChunk(() => import("../notifications/notification-bell.tsx"));

/** The bell of the menu. Its place is there from the beginning. */
export function Bell() {
  return (
    <Boundary failure={<BellPlace />}>
      <Suspense fallback={<BellPlace />}>
        <NotificationBell />
      </Suspense>
    </Boundary>
  );
}

function BellPlace() {
  return (
    <span className="btn is-icon" aria-hidden="true">
      <BellIcon />
    </span>
  );
}
