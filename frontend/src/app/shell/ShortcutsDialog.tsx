import { Kbd, Modal, Table } from '@mantine/core';

const SHORTCUTS: readonly { place: string; keys: readonly (readonly [keys: string, effect: string])[] }[] = [
  {
    place: 'Everywhere',
    keys: [
      ['Ctrl K', 'Search, or run something (⌘ K on a Mac)'],
      ['?', 'Show this list'],
      ['Esc', 'Close a dialog'],
    ],
  },
  {
    place: 'Hosts of a run',
    keys: [
      ['← ↑ → ↓', 'Move between hosts and steps'],
      ['Enter', 'Open the output of the selected host and step'],
    ],
  },
  {
    place: 'Output of a run',
    keys: [
      ['/', 'Search'],
      ['n, p', 'Next and previous hit'],
      ['e', 'Next line of stderr'],
      ['g, G', 'Beginning and end'],
      [':', 'Go to a line'],
    ],
  },
];

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      {SHORTCUTS.map(({ place, keys }) => (
        <Table key={place} mb="md" captionSide="top" verticalSpacing={4}>
          <Table.Caption ta="start" mt={0} mb={4}>
            {place}
          </Table.Caption>
          <Table.Tbody>
            {keys.map(([key, effect]) => (
              <Table.Tr key={key}>
                <Table.Th scope="row" w={120} fw={400}>
                  <Kbd size="xs">{key}</Kbd>
                </Table.Th>
                <Table.Td>{effect}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ))}
    </Modal>
  );
}
