import { Combobox, Group, Kbd, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { environmentChoicesQuery } from '../../api/queries/inventory/environments';
import { recordSearchQuery } from '../../api/queries/search';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { useSettledValue } from '../../ui/forms/useSettledValue';
import { parsePaletteText } from './palette-query';
import classes from './palette.module.css';
import { type Command, useCommands, useRecordCommands } from './useCommands';

interface Props {
  onClose: () => void;
  onShowShortcuts: () => void;
}

const TYPING_PAUSE_MS = 150;
const LABEL = 'Search, or run something';

/** Searches pages, actions and records by name, and opens or starts them. */
export const CommandPalette = (props: Props) => (
  <Modal.Root opened onClose={props.onClose} size="lg" yOffset="10dvh">
    <Modal.Overlay />
    <Modal.Content aria-label={LABEL}>
      <Palette {...props} />
    </Modal.Content>
  </Modal.Root>
);

function Palette({ onClose, onShowShortcuts }: Props) {
  const [text, setText] = useState('');
  const environments = useQuery(environmentChoicesQuery);
  const settled = useSettledValue(text, TYPING_PAUSE_MS);
  const query = parsePaletteText(settled, environments.data?.items ?? []);
  const found = useQuery({ ...recordSearchQuery(query ?? { q: '' }), enabled: query !== null });
  const commands = useCommands(text, onShowShortcuts);
  const records = useRecordCommands(query, found.data);
  const groups = (query?.runs ? [...records, ...commands] : [...commands, ...records]).filter(
    ({ items }) => items.length > 0,
  );
  const byId = new Map(groups.flatMap(({ items }) => items).map((command) => [command.id, command]));
  const combobox = useCombobox({ opened: true, loop: true });
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  // Combobox names the active option to screen readers only after an arrow key, but the first one is active at once.
  const noteActive = (id: string | null) => {
    input.current?.setAttribute('aria-activedescendant', id ?? '');
    return id;
  };
  const store = {
    ...combobox,
    selectNextOption: () => noteActive(combobox.selectNextOption()),
    selectPreviousOption: () => noteActive(combobox.selectPreviousOption()),
  };
  const selectFirst = useEffectEvent(() => void noteActive(combobox.selectFirstOption()));
  const ids = [...byId.keys()].join(' ');
  useEffect(() => selectFirst(), [ids]);
  const searching = query !== null && (found.isFetching || settled !== text);
  const submit = (id: string) => {
    onClose();
    byId.get(id)?.run();
  };
  return (
    <>
      <Combobox store={store} onOptionSubmit={submit} withinPortal={false}>
        <Combobox.EventsTarget withAriaAttributes={false}>
          <TextInput
            ref={input}
            role="combobox"
            aria-haspopup="listbox"
            aria-expanded
            aria-controls={listId}
            data-autofocus
            aria-label={LABEL}
            placeholder={LABEL}
            maxLength={200}
            size="md"
            variant="unstyled"
            px="md"
            leftSection={<IconSearch size={17} aria-hidden />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </Combobox.EventsTarget>
        <Combobox.Options id={listId} className={classes.options} aria-label="Results">
          {groups.map(({ label, items }) => (
            <Combobox.Group key={label} label={label}>
              {items.map((command) => (
                <CommandOption key={command.id} command={command} />
              ))}
            </Combobox.Group>
          ))}
        </Combobox.Options>
      </Combobox>
      {groups.length === 0 && (
        <Text p="md" c="dimmed" role="status">
          {searching ? 'Searching…' : 'Nothing found.'}
        </Text>
      )}
      {found.error && query && (
        <ErrorPanel error={found.error} title="The search failed" onRetry={() => void found.refetch()} />
      )}
      <Group gap="md" px="md" py={8} c="dimmed" fz="xs" visibleFrom="sm" className={classes.footer}>
        <span>
          <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> select
        </span>
        <span>
          <Kbd size="xs">Enter</Kbd> open
        </span>
        <span>Type “run deploy in staging” to start a plan.</span>
      </Group>
    </>
  );
}

function CommandOption({ command: { id, label, description, icon: Glyph } }: { command: Command }) {
  return (
    <Combobox.Option value={id} className={classes.option}>
      <Glyph size={17} stroke={1.8} aria-hidden />
      <span className={classes.label}>{label}</span>
      {description && <span className={classes.description}>{description}</span>}
    </Combobox.Option>
  );
}
