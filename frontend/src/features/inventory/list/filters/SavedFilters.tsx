import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { AnchorLink } from '../../../../ui/page/links';
import {
  isSameSearch,
  MAX_NAME_LENGTH,
  MAX_SAVED_FILTERS,
  type SavedFilter,
  searchOf,
  withSaved,
} from './saved-filters';
import { isFiltered, type ServerSearch } from './server-filters';
import { useSavedFilters } from './useSavedFilters';

/** Lists saved filters as links. Has a form to save the current filters. */
export function SavedFilters({ search }: { search: ServerSearch }) {
  const { saved, save } = useSavedFilters();
  const [opened, setOpened] = useState(false);
  const [saveFailed, setSaveFailed] = useState(false);
  const present = searchOf(search);
  const active = saved.find((each) => isSameSearch(each.search, present));
  const keep = (filters: SavedFilter[]) => {
    const kept = save(filters);
    setSaveFailed(!kept);
    return kept;
  };
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      width={320}
      trapFocus
      returnFocus
      withinPortal
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconBookmark size={15} aria-hidden />}
          aria-haspopup="dialog"
          onClick={() => setOpened(!opened)}
        >
          {active ? active.name : 'Saved filters'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Saved filters">
        <Stack gap="sm">
          {saved.length === 0 ? (
            <Text c="dimmed">
              No saved filters yet. Set filters and save them under a name. They are stored in this browser.
            </Text>
          ) : (
            <FilterLinks
              saved={saved}
              active={active}
              onOpen={() => setOpened(false)}
              onDelete={(filter) => keep(saved.filter((other) => other !== filter))}
            />
          )}
          {(isFiltered(search) || search.sort !== undefined) && (
            <SaveForm saved={saved} onSave={(name) => keep(withSaved(saved, { name, search: present }))} />
          )}
          {saveFailed && (
            <Text c="var(--mantine-color-error)" role="alert">
              The storage of this browser is blocked or full.
            </Text>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface LinksProps {
  saved: SavedFilter[];
  active: SavedFilter | undefined;
  onOpen: () => void;
  onDelete: (filter: SavedFilter) => void;
}

function FilterLinks({ saved, active, onOpen, onDelete }: LinksProps) {
  return (
    <Stack gap={2} component="ul" className="rw-plain-list rw-scroll" mah="40vh">
      {saved.map((each) => (
        <Group key={each.name} component="li" justify="space-between" wrap="nowrap" gap="xs">
          <AnchorLink
            to="/servers"
            search={each.search}
            onClick={onOpen}
            className="rw-wrap-anywhere"
            fw={each === active ? 600 : undefined}
            aria-current={each === active ? 'true' : undefined}
          >
            {each.name}
          </AnchorLink>
          <ActionIcon variant="subtle" color="gray" aria-label={`Delete ${each.name}`} onClick={() => onDelete(each)}>
            <IconTrash size={15} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
    </Stack>
  );
}

interface FormProps {
  saved: SavedFilter[];
  /** Returns false if the browser refuses to store. */
  onSave: (name: string) => boolean;
}

function SaveForm({ saved, onSave }: FormProps) {
  const [text, setText] = useState('');
  const name = text.trim();
  const full = saved.length >= MAX_SAVED_FILTERS && !saved.some((each) => each.name === name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name === '' || full) return;
    if (onSave(name)) setText('');
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label="Save current filters as"
          placeholder="Unreachable in production"
          value={text}
          maxLength={MAX_NAME_LENGTH}
          onChange={(event) => setText(event.currentTarget.value)}
          error={full ? `At most ${MAX_SAVED_FILTERS} filters: delete one first.` : undefined}
          flex={1}
        />
        <Button type="submit" disabled={name === '' || full}>
          Save
        </Button>
      </Group>
    </form>
  );
}
