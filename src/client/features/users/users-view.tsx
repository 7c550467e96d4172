import { Trans } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { useState } from "react";
import type { CurrentUser } from "../../../shared/api/users.ts";
import type { Page } from "../../calls/api.ts";
import { Button } from "../../ui/button.tsx";
import { useDebounced } from "../../ui/hooks/use-debounced.ts";
import { useExistingPage } from "../../ui/hooks/use-existing-page.ts";
import { useMediaQuery } from "../../ui/hooks/use-media-query.ts";
import { usePageRead } from "../../ui/hooks/use-page-read.ts";
import { UserPlusIcon } from "../../ui/icons.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Pager } from "../../ui/pager.tsx";
import { useHomeIf } from "../places/use-home-if.ts";
import { useHis } from "../session/his-context.ts";
import { AddUserDialog } from "./add-user-dialog.tsx";
import { ClearFactorsDialog } from "./clear-factors-dialog.tsx";
import { DeleteUserDialog } from "./delete-user-dialog.tsx";
import { EditUserDialog } from "./edit-user-dialog.tsx";
import { isAddingUserAtom, SEARCH_PAUSE_MS, USERS_PER_PAGE, useUsers } from "./use-users.ts";
import { UserCards } from "./user-cards.tsx";
import { FilterBar } from "./user-filter-bar.tsx";
import { filterQuery, noFilters, type UserFilters } from "./user-filters.ts";
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
  const [filters, setFilters] = useState(noFilters);
  const [page, setPage] = useState(0);
  const settled = useDebounced(filters, SEARCH_PAUSE_MS);
  const query = useUsers({
    ...filterQuery(settled),
    limit: USERS_PER_PAGE,
    offset: page * USERS_PER_PAGE,
  });
  const { data, error, isReading } = usePageRead(query, ({ rows }) => rows.length === 0);
  useExistingPage({
    page,
    perPage: USERS_PER_PAGE,
    total: isReading ? undefined : data?.total,
    onPage: setPage,
  });
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
          onRetry={query.refetch}
        />
      )}
      <UserList
        found={data}
        isReading={isReading}
        isFailed={error !== undefined}
        page={page}
        onPageChange={setPage}
        filters={filters}
        onFiltersChange={(changed) => {
          setFilters(changed);
          setPage(0);
        }}
      />
      <AddUserDialog open={isAdding} onOpenChange={setAdding} />
      <EditUserDialog />
      <ClearFactorsDialog />
      <DeleteUserDialog />
    </>
  );
}

interface UserListProps {
  /** Undefined while the first page loads, and if it failed. */
  found: Page<CurrentUser> | undefined;
  /** Whether these are the accounts of the page or the search before. */
  isReading: boolean;
  isFailed: boolean;
  /** Counts from 0. */
  page: number;
  onPageChange: (page: number) => void;
  filters: UserFilters;
  onFiltersChange: (filters: UserFilters) => void;
}

function UserList({ found, isReading, isFailed, page, filters, ...changes }: UserListProps) {
  const { onPageChange, onFiltersChange } = changes;
  const isNarrow = useMediaQuery(NARROW);
  const shown = found?.rows;
  return (
    <section className="panel users">
      <FilterBar filters={filters} onFiltersChange={onFiltersChange} />
      {!shown && isFailed ? null : shown?.length === 0 ? (
        <p className="none-found">
          <Trans id="users.none">No user matches these filters.</Trans>
        </p>
      ) : isNarrow ? (
        <UserCards users={shown} isReading={isReading} />
      ) : (
        <UserTable users={shown} isReading={isReading} />
      )}
      {found && (
        <Pager
          before={page * USERS_PER_PAGE}
          shown={found.rows.length}
          total={found.total}
          isReading={isReading}
          onStep={(pages) => onPageChange(page + pages)}
        />
      )}
    </section>
  );
}
