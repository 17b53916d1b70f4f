import { Badge, Group, Table, Text } from '@mantine/core';
import type { RunAuthor } from '../../../api/types';
import { VisibleText } from '../../../ui/diff/VisibleText';
import { authorGroups, authorName, changeText } from './author-text';

/** Lists the authors of content that has not run in the environment yet, by kind. */
export function Authors({ authors }: { authors: readonly RunAuthor[] }) {
  return (
    <Table verticalSpacing={4} aria-label="Authors">
      <Table.Tbody>
        {authorGroups(authors).map(({ kind, label, items }) =>
          items.map((author, index) => (
            <Table.Tr key={`${kind} ${index}`}>
              <Table.Th scope="row" w="30%" fw={index === 0 ? 500 : 400}>
                {index === 0 ? label : ''}
              </Table.Th>
              <Table.Td className="rw-wrap-anywhere">
                <Group gap="xs">
                  <VisibleText text={authorName(author)} />
                  {author.user === null && <Badge color="yellow">Not a member</Badge>}
                  {author.outside && <Badge color="orange">Cannot run here</Badge>}
                </Group>
                <Text c="dimmed" size="xs">
                  <VisibleText text={changeText(author)} />
                </Text>
              </Table.Td>
            </Table.Tr>
          )),
        )}
      </Table.Tbody>
    </Table>
  );
}
