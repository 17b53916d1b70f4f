import { Box, Group, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { gitFileQuery } from '../../../api/queries/library/git-sources';
import { CopyButton } from '../../../ui/copy/CopyButton';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { bytes } from '../../../ui/format/format';

/** Shows the text of a file at a commit, or a note if the content is not text. */
export function FileView(place: { id: string; commit: string; path: string }) {
  const file = useQuery(gitFileQuery(place));
  if (file.error) return <ErrorPanel error={file.error} onRetry={() => void file.refetch()} />;
  if (!file.data) return <RowsSkeleton />;
  const { content, encoding, size, executable, path } = file.data;
  return (
    <Paper component="section" aria-label={`Content of ${path}`} p="md">
      <Group justify="space-between" mb="sm">
        <Text size="xs" c="dimmed">
          {bytes(size)}
          {executable && ', executable'}
        </Text>
        {encoding === 'utf-8' && <CopyButton value={content} what="file" />}
      </Group>
      {encoding === 'utf-8' ? (
        <Box component="pre" className="rw-mono rw-scroll" tabIndex={0} mah="70vh" m={0}>
          {content}
        </Box>
      ) : (
        <Text>Binary file. Steps copy it to hosts unchanged.</Text>
      )}
    </Paper>
  );
}
