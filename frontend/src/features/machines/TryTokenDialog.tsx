import { Alert, Button, Code, Group, Stack, Table, Text, Textarea } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTryToken } from '../../api/queries/access/trust-rules';
import type { TokenTrial, TrustRule } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { FormModal } from '../../ui/forms/FormOverlay';

interface Props {
  rules: readonly TrustRule[];
  onClose: () => void;
}

/** Validates a pasted identity token against the trust rules. Nothing is exchanged. */
export function TryTokenDialog({ rules, onClose }: Props) {
  const attempt = useTryToken();
  const [token, setToken] = useState('');
  return (
    <FormModal opened onClose={onClose} size="lg" title="Test token">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          attempt.mutate(token.trim());
        }}
        noValidate
      >
        <Stack gap="sm">
          <Textarea
            label="Identity token"
            description="Token that a job receives from its provider. The token is only validated. It is not stored or exchanged."
            placeholder="eyJhbGciOiJSUzI1NiIs…"
            autosize
            minRows={3}
            maxRows={8}
            spellCheck={false}
            autoComplete="off"
            data-autofocus
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
          />
          {attempt.error && <ErrorPanel error={attempt.error} title="The token could not be tested" />}
          {attempt.data && <Outcome trial={attempt.data} rules={rules} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button type="submit" loading={attempt.isPending} disabled={token.trim() === ''}>
              Test token
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  );
}

function Outcome({ trial, rules }: { trial: TokenTrial; rules: readonly TrustRule[] }) {
  const accepted = trial.outcome === 'accepted';
  const rule = rules.find(({ id }) => id === trial.ruleId);
  const says: [string, string][] = [
    ['iss', trial.issuer],
    ['sub', trial.subject ?? '–'],
    ['aud', trial.audiences.join(', ') || '–'],
  ];
  return (
    <Alert
      role="status"
      color={accepted ? 'green' : 'red'}
      icon={accepted ? <IconCircleCheck aria-hidden /> : <IconCircleX aria-hidden />}
      title={accepted ? `Accepted${rule ? ` by ${rule.name}` : ''}` : 'Refused'}
    >
      <Text>{trial.reason?.text ?? 'The token would be exchanged by this rule.'}</Text>
      <Table aria-label="Claims of the token" withRowBorders={false} mt={6}>
        <Table.Tbody>
          {says.map(([claim, value]) => (
            <Table.Tr key={claim}>
              <Table.Th w={50}>{claim}</Table.Th>
              <Table.Td>
                <Code className="rw-wrap-anywhere">{value}</Code>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Alert>
  );
}
