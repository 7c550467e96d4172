import { lazyChunk } from "../../ui/lazy-chunk.ts";
import { useHis } from "../session/his-context.ts";
import { UserSubscription } from "../subscriptions/user-subscription.tsx";

const AdminSubscriptions = lazyChunk(() => import("../subscriptions-admin/admin-subscriptions.tsx"));

/** The person's own subscription; for an admin, everybody's. */
export default function SubscriptionView() {
  return useHis().user.role === "admin" ? <AdminSubscriptions /> : <UserSubscription />;
}
