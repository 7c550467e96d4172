import { Pager } from "../../ui/pager.tsx";

/** One page holds all accounts that match. */
export function UserPager({ shown, total }: { shown: number; total: number }) {
  return <Pager className="user-pager" before={0} shown={shown} total={total} />;
}
