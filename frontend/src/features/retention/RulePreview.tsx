import { Alert, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type RuleOf, retentionPreviewQuery } from '../../api/queries/runs/retention';
import type { RetentionLimits, RetentionPreview } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { bytes, plural, shortTime } from '../../ui/format/format';
import { retainedTexts } from './rule-form';

/** Shows what the next pass would delete with this rule. */
export function RulePreview({ of, rule }: { of: RuleOf; rule: RetentionLimits }) {
  const preview = useQuery(retentionPreviewQuery(of, rule));
  if (preview.error) return <ErrorPanel error={preview.error} />;
  if (!preview.data) return <Loader size="sm" aria-label="Calculating what the rule would delete" />;
  return <PreviewSummary preview={preview.data} />;
}

function PreviewSummary({ preview }: { preview: RetentionPreview }) {
  const { runs, ofRuns, complete, needsConfirmation, environments } = preview;
  const kept = retainedTexts(preview);
  const from = environments.flatMap((each) => each.from ?? []).sort()[0];
  const to = environments
    .flatMap((each) => each.to ?? [])
    .sort()
    .at(-1);
  return (
    <Alert
      color={needsConfirmation ? 'red' : runs > 0 ? 'yellow' : 'gray'}
      role="status"
      title={
        runs === 0
          ? 'No runs would be deleted now'
          : `${complete ? '' : 'At least '}${plural(runs, 'run')} of ${ofRuns} would be deleted`
      }
    >
      <Stack gap={4}>
        {runs > 0 && from && to && (
          <Text>
            Started from {shortTime(from)} to {shortTime(to)}, with {bytes(preview.bytes)} of output.
          </Text>
        )}
        {kept.length > 0 && <Text>Exceed a limit, but are kept: {kept.join(', ')}.</Text>}
        {needsConfirmation && (
          <Text fw={600}>This is more than half of the runs or output{complete ? '' : ', or may be'}.</Text>
        )}
      </Stack>
    </Alert>
  );
}
