import { ActionIcon, Group, Menu, SegmentedControl, Tooltip } from '@mantine/core';
import {
  type Icon,
  IconArrowsMaximize,
  IconClock,
  IconCode,
  IconDownload,
  IconLetterCase,
  IconRegex,
  IconTextWrap,
} from '@tabler/icons-react';
import { SearchField } from '../../../ui/forms/SearchField';
import type { OutputForm } from '../../../api/queries/runs/executions';
import type { TimeForm } from './lines/line-times';
import classes from './lines/output.module.css';
import { isCaseMatched, isRegex, type Match, toMatch } from './search/match';

type StreamChoice = 'stdout' | 'stderr' | undefined;

interface Props {
  q: string;
  match: Match;
  stream: StreamChoice;
  times: TimeForm;
  wrap: boolean;
  downloading: boolean;
  onSearch: (q: string | undefined) => void;
  onMatch: (match: Match) => void;
  onStream: (stream: StreamChoice) => void;
  onTimes: () => void;
  onWrap: (wrap: boolean) => void;
  raw: boolean;
  onRaw: (raw: boolean) => void;
  /** Whether the output covers the grid. */
  wide: boolean;
  onWide: () => void;
  onDownload: (form: OutputForm) => void;
}

/** What a click does. */
const TIME_LABELS: Record<TimeForm, string> = {
  off: 'Show the time of each line',
  clock: 'Show the time since the start of the run',
  elapsed: 'Hide the times',
};

const STREAMS = [
  { value: 'both', label: 'Both' },
  { value: 'stdout', label: 'stdout' },
  { value: 'stderr', label: 'stderr' },
];

interface MatchToggleProps {
  label: string;
  icon: Icon;
  pressed: boolean;
  onClick: () => void;
}

function MatchToggle({ label, icon: Glyph, pressed, onClick }: MatchToggleProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant={pressed ? 'light' : 'default'} aria-label={label} aria-pressed={pressed} onClick={onClick}>
        <Glyph size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

export function OutputToolbar({
  q,
  match,
  stream,
  times,
  wrap,
  downloading,
  onSearch,
  onMatch,
  onStream,
  onTimes,
  onWrap,
  raw,
  onRaw,
  wide,
  onWide,
  onDownload,
}: Props) {
  return (
    <Group gap="xs">
      <SearchField label="Search output" value={q} onChange={(value) => onSearch(value || undefined)} width={160} />
      <MatchToggle
        label="Match case"
        icon={IconLetterCase}
        pressed={isCaseMatched(match)}
        onClick={() => onMatch(toMatch(!isCaseMatched(match), isRegex(match)))}
      />
      <MatchToggle
        label="Regular expression"
        icon={IconRegex}
        pressed={isRegex(match)}
        onClick={() => onMatch(toMatch(isCaseMatched(match), !isRegex(match)))}
      />
      <SegmentedControl
        aria-label="Output stream"
        data={STREAMS}
        value={stream ?? 'both'}
        onChange={(value) => onStream(value === 'both' ? undefined : (value as StreamChoice))}
      />
      <Tooltip label={TIME_LABELS[times]}>
        <ActionIcon variant={times === 'off' ? 'default' : 'light'} aria-label={TIME_LABELS[times]} onClick={onTimes}>
          <IconClock size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Wrap long lines">
        <ActionIcon
          variant={wrap ? 'light' : 'default'}
          aria-label="Wrap lines"
          aria-pressed={wrap}
          onClick={() => onWrap(!wrap)}
        >
          <IconTextWrap size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={raw ? 'Fold equal lines, sections and progress bars' : 'Show lines as written, without folds'}>
        <ActionIcon
          variant={raw ? 'light' : 'default'}
          aria-label="Raw lines"
          aria-pressed={raw}
          onClick={() => onRaw(!raw)}
        >
          <IconCode size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={wide ? 'Show the grid' : 'Hide the grid'}>
        <ActionIcon
          variant={wide ? 'light' : 'default'}
          aria-label="Hide the grid"
          aria-pressed={wide}
          onClick={onWide}
          className={classes.wideToggle}
        >
          <IconArrowsMaximize size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" aria-label="Download" title="Download" loading={downloading}>
            <IconDownload size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {q !== '' && (
            <Menu.Label>
              {match === undefined ? 'Only lines with hits' : 'All lines, not only those with hits'}
            </Menu.Label>
          )}
          <Menu.Item onClick={() => onDownload('text')}>As text</Menu.Item>
          <Menu.Item onClick={() => onDownload('ndjson')}>As NDJSON, with hosts, streams and times</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
