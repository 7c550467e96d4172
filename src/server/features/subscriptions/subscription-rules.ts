/** Active: paid or granted, and not past its end (null: never ends). */
export function isInForce(
  subscription: { status: "active" | "pending"; expiresAt: Date | null },
  now: Date,
): boolean {
  return (
    subscription.status === "active" && (subscription.expiresAt === null || subscription.expiresAt > now)
  );
}
