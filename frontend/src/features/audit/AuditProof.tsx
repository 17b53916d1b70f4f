import { Box, Button, Code, Group, Paper, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconShieldCheck, IconShieldQuestion } from '@tabler/icons-react';
import { useVerifyAudit } from '../../api/queries/access/audit';
import type { AuditVerification } from '../../api/types';
import { Badge } from '../../ui/status/Badge';
import { CopyButton } from '../../ui/copy/CopyButton';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { plural } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';

/** Verifies the hash chain of all entries on demand. */
export function AuditProof() {
  const verify = useVerifyAudit();
  return (
    <Paper px="md" py="sm">
      <Stack gap="xs">
        <Group justify="space-between" gap="sm">
          <Box role="status" flex="1 1 300px" miw={0}>
            {verify.data ? <Finding found={verify.data} /> : <UnverifiedNotice />}
          </Box>
          <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
            {verify.data ? 'Verify again' : 'Verify hash chain'}
          </Button>
        </Group>
        {verify.error && <ErrorPanel error={verify.error} title="The hash chain could not be verified" />}
      </Stack>
    </Paper>
  );
}

function UnverifiedNotice() {
  return (
    <Group gap="sm">
      <Badge tone="idle" icon={IconShieldQuestion}>
        Not verified
      </Badge>
      <Text c="dimmed" flex="1 1 240px">
        Each entry contains the hash of the previous one. Verification finds changed, deleted and reordered entries.
      </Text>
    </Group>
  );
}

function Finding({ found: { intact, entries, fault, head, checkedAt } }: { found: AuditVerification }) {
  return (
    <Stack gap={4}>
      <Group gap="sm">
        {intact ? (
          <Badge tone="good" icon={IconShieldCheck}>
            Intact
          </Badge>
        ) : (
          <Badge tone="bad" icon={IconAlertTriangle}>
            {`Fault at entry ${fault?.sequence ?? '?'}`}
          </Badge>
        )}
        <Text>
          {plural(entries, 'entry', 'entries')} verified <RelativeTime at={checkedAt} />.
          {fault && ` ${fault.reason.text}`}
        </Text>
      </Group>
      {head && (
        <Group gap={4} wrap="nowrap">
          <Text size="xs" c="dimmed" className="rw-nowrap">
            Head hash
          </Text>
          <Code className="rw-ellipsis" title={head}>
            {head}
          </Code>
          <CopyButton value={head} what="head hash" />
        </Group>
      )}
    </Stack>
  );
}
