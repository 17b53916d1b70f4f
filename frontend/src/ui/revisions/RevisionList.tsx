import { Accordion, Badge, Button, Checkbox, Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Can } from '../../access/Can';
import { VisibleText } from '../diff/VisibleText';
import { ErrorPanel } from '../feedback/ErrorPanel';
import { RowsSkeleton } from '../feedback/Skeletons';
import { RelativeTime } from '../format/RelativeTime';
import type { ListState } from '../tables/DataTable';
import { type ChosenRevisions, toggled } from './compared';

export interface ListedRevision {
  id: string;
  number: number;
  message: string | null;
  createdBy: { name: string } | null;
  /** Git source whose sync saved the revision. */
  origin?: { sourceName: string } | null;
  createdAt: string;
}

export const revisionAuthor = ({ createdBy, origin }: ListedRevision): string =>
  createdBy?.name ?? (origin ? `Sync of ${origin.sourceName}` : 'Removed member');

interface Props<R extends ListedRevision> {
  list: ListState<R>;
  latest: number;
  open: number | undefined;
  onOpen: (number: number | undefined) => void;
  chosen: ChosenRevisions;
  onChoose: (chosen: ChosenRevisions) => void;
  /** Null = restoring is not available. */
  onRestore: ((number: number) => void) | null;
  facts: (revision: R) => ReactNode;
  content: (revision: R) => ReactNode;
}

/** Revisions of a record, newest first, which can be opened, compared and restored. */
export function RevisionList<R extends ListedRevision>(props: Props<R>) {
  const { list, open, onOpen } = props;
  const { rows, error, refetch, more } = list;
  if (!rows) return error ? <ErrorPanel error={error} onRetry={refetch} /> : <RowsSkeleton />;
  return (
    <Stack gap="sm">
      <Paper>
        <Accordion
          value={open === undefined ? null : String(open)}
          onChange={(value) => onOpen(value === null ? undefined : Number(value))}
          order={2}
        >
          {rows.map((revision) => (
            <Item key={revision.id} revision={revision} {...props} />
          ))}
        </Accordion>
      </Paper>
      {more && (
        <Button variant="default" loading={more.loading} onClick={more.load} className="rw-align-center">
          Load more
        </Button>
      )}
    </Stack>
  );
}

function Item<R extends ListedRevision>({ revision, ...props }: Props<R> & { revision: R }) {
  const { latest, open, chosen, onChoose, onRestore, facts, content } = props;
  const { number, message, createdAt } = revision;
  return (
    <Accordion.Item value={String(number)}>
      <Group gap={0} wrap="nowrap">
        <Checkbox
          size="md"
          ps="md"
          aria-label={`Compare revision ${number}`}
          checked={chosen.includes(number)}
          onChange={() => onChoose(toggled(chosen, number))}
        />
        <Accordion.Control>
          <Group gap="sm">
            <Badge variant="light" tt="none">
              Revision {number}
            </Badge>
            {number === latest && (
              <Text span size="xs" fw={550}>
                latest
              </Text>
            )}
            {facts(revision)}
            <Text c="dimmed" component="span">
              {revisionAuthor(revision)}, <RelativeTime at={createdAt} />
            </Text>
          </Group>
          {message !== null && (
            <Text mt={4} component="span" display="block" className="rw-pre-line">
              <VisibleText text={message} />
            </Text>
          )}
        </Accordion.Control>
      </Group>
      <Accordion.Panel>
        {open === number && (
          <Stack gap="sm">
            <Group gap="xs">
              {number > 1 && (
                <Button variant="default" size="xs" onClick={() => onChoose([number - 1, number])}>
                  Show changes
                </Button>
              )}
              {number !== latest && (
                <>
                  <Button variant="default" size="xs" onClick={() => onChoose([number, latest])}>
                    Compare with latest
                  </Button>
                  {onRestore && (
                    <Can role="operator">
                      <Button variant="default" size="xs" onClick={() => onRestore(number)}>
                        Restore revision {number}
                      </Button>
                    </Can>
                  )}
                </>
              )}
            </Group>
            {content(revision)}
          </Stack>
        )}
      </Accordion.Panel>
    </Accordion.Item>
  );
}
