import { Button, CloseButton, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type DiffLine, readDiff } from '../diff/diff-lines';
import { DiffText } from '../diff/DiffText';
import { VisibleText } from '../diff/VisibleText';
import { ErrorPanel } from '../feedback/ErrorPanel';
import { RowsSkeleton } from '../feedback/Skeletons';
import { plural } from '../format/format';
import { RelativeTime } from '../format/RelativeTime';
import type { ChosenRevisions } from './compared';
import { type ListedRevision, revisionAuthor } from './RevisionList';
import classes from './revisions.module.css';

export interface ComparedRevisions {
  from: ListedRevision | null;
  to: ListedRevision;
  text: string | null;
  moreLines: number;
}

interface Props<D extends ComparedRevisions> {
  chosen: ChosenRevisions;
  diff: Pick<UseQueryResult<D>, 'data' | 'error' | 'refetch'>;
  /** Returns differences outside the text, one per line. */
  changes: (diff: D) => string[];
  onClose: () => void;
}

const LINES = 1000;

export function RevisionDiff<D extends ComparedRevisions>({ chosen, ...props }: Props<D>) {
  const [from, to] = chosen;
  const place = useRef<HTMLElement>(null);
  // Scrolls to the diff, because the selection may be far down in the list.
  useEffect(() => {
    if (to !== undefined) place.current?.scrollIntoView({ block: 'nearest' });
  }, [from, to]);
  if (from === undefined) return null;
  return (
    <Paper ref={place} p="sm" mb="md" component="section" aria-label="Comparison" className={classes.comparison}>
      {to === undefined ? (
        <Text c="dimmed" role="status">
          Select another revision to compare with revision {from}.
        </Text>
      ) : (
        <Stack gap="sm">
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <Title order={2} size="h4">
              From revision {from} to revision {to}
            </Title>
            <CloseButton aria-label="Close comparison" onClick={props.onClose} />
          </Group>
          <DiffView key={`${from} ${to}`} diff={props.diff} changes={props.changes} />
        </Stack>
      )}
    </Paper>
  );
}

function DiffView<D extends ComparedRevisions>({ diff: query, changes }: Pick<Props<D>, 'diff' | 'changes'>) {
  const { data: diff, error, refetch } = query;
  if (!diff) return error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <RowsSkeleton />;
  const changeTexts = changes(diff);
  return (
    <>
      <div>
        {diff.from && <RevisionHead revision={diff.from} />}
        <RevisionHead revision={diff.to} />
      </div>
      {changeTexts.length > 0 && (
        <ul className="rw-list" aria-label="Differences">
          {changeTexts.map((line) => (
            <li key={line} className="rw-wrap-anywhere">
              <VisibleText text={line} />
            </li>
          ))}
        </ul>
      )}
      {diff.text === null ? (
        <Text>The revisions differ too much for a line-by-line comparison. Open each revision instead.</Text>
      ) : (
        <DiffLines lines={readDiff(diff.text)} moreLines={diff.moreLines} same={changeTexts.length === 0} />
      )}
    </>
  );
}

function RevisionHead({ revision }: { revision: ListedRevision }) {
  const { number, message, createdAt } = revision;
  return (
    <Text className="rw-pre-line">
      Revision {number}:{' '}
      <Text span c="dimmed" inherit>
        {revisionAuthor(revision)}, <RelativeTime at={createdAt} />
      </Text>
      {message !== null && (
        <>
          {' – '}
          <VisibleText text={message} />
        </>
      )}
    </Text>
  );
}

function DiffLines({ lines, moreLines, same }: { lines: readonly DiffLine[]; moreLines: number; same: boolean }) {
  const [visibleLines, setVisibleLines] = useState(LINES);
  if (!lines.some(({ kind }) => kind !== 'same'))
    return <Text c="dimmed">{same ? 'The revisions are identical.' : 'The texts are identical.'}</Text>;
  const left = lines.length - visibleLines;
  return (
    <>
      <DiffText isTall label="Changed lines" lines={lines.slice(0, visibleLines)} />
      {left > 0 && (
        <Button variant="default" onClick={() => setVisibleLines(visibleLines + LINES)} className="rw-align-center">
          Show {plural(Math.min(left, LINES), 'more line', 'more lines')}
        </Button>
      )}
      {left <= 0 && moreLines > 0 && (
        <Text c="dimmed">{plural(moreLines, 'further line is', 'further lines are')} not shown.</Text>
      )}
    </>
  );
}
