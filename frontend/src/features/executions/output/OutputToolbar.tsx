import { ActionIcon, Group, SegmentedControl, Tooltip } from '@mantine/core';
import { IconClock, IconDownload, IconTextWrap } from '@tabler/icons-react';
import { SearchField } from '../../../ui/forms/SearchField';
import { ActionButton } from '../../../ui/page/ActionButton';

type StreamChoice = 'stdout' | 'stderr' | undefined;

interface Props {
  q: string;
  stream: StreamChoice;
  times: boolean;
  wrap: boolean;
  downloading: boolean;
  onSearch: (q: string | undefined) => void;
  onStream: (stream: StreamChoice) => void;
  onTimes: (times: boolean) => void;
  onWrap: (wrap: boolean) => void;
  onDownload: () => void;
}

const STREAMS = [
  { value: 'both', label: 'Both' },
  { value: 'stdout', label: 'stdout' },
  { value: 'stderr', label: 'stderr' },
];

export function OutputToolbar({
  q,
  stream,
  times,
  wrap,
  downloading,
  onSearch,
  onStream,
  onTimes,
  onWrap,
  onDownload,
}: Props) {
  return (
    <Group gap="xs">
      <SearchField label="Search output" value={q} onChange={(value) => onSearch(value || undefined)} width={200} />
      <SegmentedControl
        aria-label="Output stream"
        data={STREAMS}
        value={stream ?? 'both'}
        onChange={(value) => onStream(value === 'both' ? undefined : (value as StreamChoice))}
      />
      <Tooltip label="Show time of each line">
        <ActionIcon
          variant={times ? 'light' : 'default'}
          aria-label="Times"
          aria-pressed={times}
          onClick={() => onTimes(!times)}
        >
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
      <ActionButton icon={IconDownload} loading={downloading} onClick={onDownload}>
        Download
      </ActionButton>
    </Group>
  );
}
