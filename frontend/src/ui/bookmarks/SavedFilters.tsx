import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type ApiProblem, toProblem } from '../../api/errors';
import { bookmarksQuery, useCreateBookmark, useDeleteBookmark } from '../../api/queries/access/bookmarks';
import type { Bookmark } from '../../api/types';
import { BookmarkLink } from './BookmarkLink';
import { filtersOfPage } from './saved-filters';

interface Props {
  /** List whose filters are saved. */
  page: '/servers' | '/executions' | '/plans' | '/schedules' | '/audit';
  /** Filters in the URL, without other search parameters such as open dialogs. */
  search: object;
}

/** Lists the member's saved filters of a list as links. Has a form to save the current filters. */
export function SavedFilters({ page, search }: Props) {
  const { data } = useQuery(bookmarksQuery);
  const remove = useDeleteBookmark();
  const [opened, setOpened] = useState(false);
  const path = useRouter().buildLocation({ to: page, search } as Parameters<
    ReturnType<typeof useRouter>['buildLocation']
  >[0]).href;
  const saved = filtersOfPage(data?.items ?? [], page);
  const active = saved.find((each) => each.path === path);
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
            <Text c="dimmed">No saved filters yet. Set filters and save them under a name. Only you see them.</Text>
          ) : (
            <FilterLinks
              saved={saved}
              active={active}
              onOpen={() => setOpened(false)}
              onDelete={({ id }) => remove.mutate(id)}
            />
          )}
          {path !== page && !active && <SaveForm path={path} />}
          {remove.error && (
            <Text c="var(--mantine-color-error)" role="alert">
              {toProblem(remove.error).message}
            </Text>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface LinksProps {
  saved: Bookmark[];
  active: Bookmark | undefined;
  onOpen: () => void;
  onDelete: (filter: Bookmark) => void;
}

function FilterLinks({ saved, active, onOpen, onDelete }: LinksProps) {
  return (
    <Stack gap={2} component="ul" className="rw-plain-list rw-scroll" mah="40vh">
      {saved.map((each) => (
        <Group key={each.id} component="li" justify="space-between" wrap="nowrap" gap="xs">
          <BookmarkLink
            path={each.path}
            onOpen={onOpen}
            className="rw-wrap-anywhere"
            fw={each === active ? 600 : undefined}
            {...(each === active ? { 'aria-current': 'true' } : {})}
          >
            {each.name}
          </BookmarkLink>
          <ActionIcon variant="subtle" color="gray" aria-label={`Delete ${each.name}`} onClick={() => onDelete(each)}>
            <IconTrash size={15} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
    </Stack>
  );
}

function SaveForm({ path }: { path: string }) {
  const create = useCreateBookmark();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const name = text.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The popover may be inside the form of a page.
    event.stopPropagation();
    if (name === '') return;
    setProblem(null);
    create.mutate({ name, path }, { onSuccess: () => setText(''), onError: (error) => setProblem(toProblem(error)) });
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          label="Save current filters as"
          placeholder="Unreachable in production"
          value={text}
          maxLength={200}
          onChange={(event) => setText(event.currentTarget.value)}
          error={problem?.errors[0]?.message ?? problem?.message}
          flex={1}
        />
        <Button type="submit" mt={24} disabled={name === ''} loading={create.isPending}>
          Save
        </Button>
      </Group>
    </form>
  );
}
