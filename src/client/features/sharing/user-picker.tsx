import { Trans, useLingui } from "@lingui/react/macro";
import { Popover } from "radix-ui";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { type CurrentUser, MAX_USER_SEARCH } from "../../../shared/api/users.ts";
import { Field } from "../../ui/field.tsx";
import { useDebounced } from "../../ui/hooks/use-debounced.ts";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { SearchIcon } from "../../ui/icons.tsx";
import { SEARCH_PAUSE_MS, useUsers } from "../users/use-users.ts";
import { roleName } from "../users/user-text.ts";
import { matchingUsers } from "./matching-users.ts";
import { useGrants } from "./use-sharing.ts";

/** Some of those that a search finds have the study already, and admins see every study. */
const MAX_LOOKED_AT = 100;

interface UserPickerProps {
  studyId: string;
  /** The text of the field: a search, or the e-mail of the picked user. */
  value: string;
  onValueChange: (value: string) => void;
  error: string | null;
}

/** A search by name or e-mail over the accounts that can be given the study: arrows, Enter, Escape, or a tap. */
export function UserPicker({ studyId, value, onValueChange, error }: UserPickerProps) {
  const { t } = useLingui();
  const search = useDebounced(value.trim(), SEARCH_PAUSE_MS);
  const users = useUsers(
    { search: search.slice(0, MAX_USER_SEARCH), status: "authorized", limit: MAX_LOOKED_AT },
    { enabled: search !== "" },
  );
  const { data, isPlaceholderData } = users;
  const failure = useFailure(users);
  const { data: grants } = useGrants(studyId);
  const [isOpen, setOpen] = useState(false);
  const [activeId, setActiveId] = useState<string>();
  const anchor = useRef<HTMLDivElement>(null);
  const listId = useId();
  const found = matchingUsers(data?.rows ?? [], grants ?? [], value);
  const isAnswered = data !== undefined && !isPlaceholderData && search === value.trim();
  const isShown = isOpen && value.trim() !== "" && (found.length > 0 || isAnswered);
  // Answers that come late move it: the same one stays chosen.
  const activeIndex = Math.max(
    0,
    found.findIndex(({ id }) => id === activeId),
  );
  const active = isShown ? found[activeIndex] : undefined;

  const pick = ({ email }: CurrentUser) => {
    onValueChange(email);
    setOpen(false);
  };
  const step = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      setOpen(true);
      if (isShown) setActiveId(found.at((activeIndex + by) % found.length)?.id);
    } else if (event.key === "Enter" && active) {
      event.preventDefault();
      pick(active);
    }
  };
  return (
    // Its own layer over the dialog: Escape closes the list first, then the dialog.
    <Popover.Root open={isShown} onOpenChange={setOpen}>
      <Field
        label={<Trans id="share.user">User</Trans>}
        hint={
          <Trans id="share.userHint">
            Whoever gets access sees the images and the report, but cannot delete anything.
          </Trans>
        }
        error={error ?? failure?.message}
      >
        {(tied) => (
          <Popover.Anchor asChild>
            <div className="input" ref={anchor}>
              <SearchIcon small />
              <input
                {...tied}
                role="combobox"
                type="text"
                autoComplete="off"
                placeholder={t({ id: "share.userSearch", message: "Search by name or e-mail" })}
                aria-autocomplete="list"
                aria-expanded={isShown}
                aria-controls={isShown ? listId : undefined}
                aria-activedescendant={active && `${listId}-${active.id}`}
                value={value}
                onChange={({ target }) => {
                  onValueChange(target.value);
                  setActiveId(undefined);
                  setOpen(true);
                }}
                onKeyDown={step}
                onBlur={() => setOpen(false)}
              />
            </div>
          </Popover.Anchor>
        )}
      </Field>
      <Popover.Portal>
        <Popover.Content
          className="menu share-options"
          id={listId}
          role="listbox"
          aria-label={t({ id: "share.user", message: "User" })}
          align="start"
          sideOffset={4}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onInteractOutside={(event) => {
            if (anchor.current?.contains(event.target as Node)) event.preventDefault();
          }}
          // The focus stays in the field.
          onMouseDown={(event) => event.preventDefault()}
        >
          {found.map((user) => (
            <UserOption
              key={user.id}
              id={`${listId}-${user.id}`}
              user={user}
              isActive={user === active}
              onPick={() => pick(user)}
            />
          ))}
          {found.length === 0 && (
            <p className="share-options-none" role="status">
              <Trans id="share.noUser">No account matches.</Trans>
            </p>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface UserOptionProps {
  id: string;
  user: CurrentUser;
  isActive: boolean;
  onPick: () => void;
}

function UserOption({ id, user, isActive, onPick }: UserOptionProps) {
  const { i18n } = useLingui();
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field's keys pick it
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className="menu-item share-option"
      data-highlighted={isActive || undefined}
      onClick={onPick}
    >
      <b>{user.name}</b>
      <span>
        {user.email} · {roleName(i18n, user.role)}
      </span>
    </div>
  );
}
