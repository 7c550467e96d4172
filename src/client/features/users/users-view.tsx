import { Trans } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { useState } from "react";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { Button } from "../../ui/button.tsx";
import { UserPlusIcon } from "../../ui/icons.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Pager } from "../../ui/pager.tsx";
import { useMediaQuery } from "../../ui/use-media-query.ts";
import { useHomeIf } from "../places/use-home-if.ts";
import { useHis } from "../session/his-context.ts";
import { AddUserDialog } from "./add-user-dialog.tsx";
import { ClearFactorsDialog } from "./clear-factors-dialog.tsx";
import { DeleteUserDialog } from "./delete-user-dialog.tsx";
import { EditUserDialog } from "./edit-user-dialog.tsx";
import { isAddingUserAtom, useUsers } from "./use-users.ts";
import { UserCards } from "./user-cards.tsx";
import { FilterBar } from "./user-filter-bar.tsx";
import { filterUsers, noFilters } from "./user-filters.ts";
import { UserTable } from "./user-table.tsx";

/** Matches when seven columns no longer fit beside the menu. */
const NARROW = "(max-width: 63.75em)";

/** Lists the accounts for an admin; sends everybody else back to the start. */
export default function UsersView() {
  const isAdmin = useHis().user.role === "admin";
  useHomeIf(!isAdmin);
  return isAdmin ? <Users /> : null;
}

function Users() {
  const [isAdding, setAdding] = useAtom(isAddingUserAtom);
  const { data, error, refetch } = useUsers(true);
  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="menu.users">Manage users</Trans>
        </h1>
        <Button kind="lit" onClick={() => setAdding(true)}>
          <UserPlusIcon small />
          <Trans id="users.add">Add user</Trans>
        </Button>
      </div>
      {error && (
        <LoadError
          title={<Trans id="users.listFailed">Error loading users</Trans>}
          error={error}
          onRetry={refetch}
        />
      )}
      {(data || !error) && <UserList users={data} />}
      <AddUserDialog open={isAdding} onOpenChange={setAdding} />
      <EditUserDialog />
      <ClearFactorsDialog />
      <DeleteUserDialog />
    </>
  );
}

function UserList({ users }: { users: CurrentUser[] | undefined }) {
  const isNarrow = useMediaQuery(NARROW);
  const [filters, setFilters] = useState(noFilters);
  const shown = users && filterUsers(users, filters);
  return (
    <section className="panel users">
      <FilterBar filters={filters} onFiltersChange={setFilters} />
      {shown?.length === 0 ? (
        <p className="none-found">
          <Trans id="users.none">No user matches these filters.</Trans>
        </p>
      ) : isNarrow ? (
        <UserCards users={shown} />
      ) : (
        <UserTable users={shown} />
      )}
      {/* All accounts fit on one page. */}
      {shown && <Pager before={0} shown={shown.length} total={users.length} />}
    </section>
  );
}
