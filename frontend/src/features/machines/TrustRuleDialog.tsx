import { Alert, Button, NumberInput, Stack, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { useCreateTrustRule, useUpdateTrustRule } from '../../api/queries/access/trust-rules';
import type { TrustRule } from '../../api/types';
import { DialogActions } from '../../ui/dialogs/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../ui/forms/form-errors';
import { FormModal } from '../../ui/forms/FormOverlay';
import { useIdempotencyKey } from '../../ui/forms/useIdempotencyKey';
import { MemberSelect } from '../../ui/members/MemberSelect';
import { LabelsInput } from '../../ui/runs/LabelsInput';
import { ScopeFields } from '../../ui/scopes/ScopeFields';
import { findClaimFault, formOf, requestOf, type RuleForm } from './rule-form';
import { RuleExamples } from './RuleExamples';

interface Props {
  /** Null: a new rule. A newer version may arrive while the dialog is open. */
  rule: TrustRule | null;
  onClose: () => void;
}

const FIELDS = ['name', 'issuer', 'audience', 'subject', 'claims', 'userId'];

export function TrustRuleDialog({ rule, onClose }: Props) {
  const create = useCreateTrustRule();
  const update = useUpdateTrustRule();
  const attempt = useIdempotencyKey();
  const [version, setVersion] = useState(rule?.version ?? 0);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm<RuleForm>({
    initialValues: formOf(rule, window.location.origin),
    validate: {
      userId: (userId) => (userId ? null : 'Choose the member that the token acts as'),
      claims: findClaimFault,
    },
  });
  const submit = form.onSubmit((values) => {
    const body = requestOf(values);
    setProblem(null);
    const onError = (error: unknown) => {
      attempt.refused(error);
      setProblem(showErrorOnForm(form, error, (path) => FIELDS.includes(path)));
    };
    if (rule) update.mutate({ rule: { id: rule.id, version }, body }, { onSuccess: onClose, onError });
    else create.mutate({ body, key: attempt.keyFor(body) }, { onSuccess: onClose, onError });
  });
  return (
    <FormModal opened onClose={onClose} size="lg" title={rule ? `Edit ${rule.name}` : 'New trust rule'}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TrustRuleFields form={form} />
          {rule && (
            <Alert color="gray">
              Any change except the name revokes the tokens of this rule. Runs that these tokens started and that have
              not begun are cancelled{rule.waitingRuns ? ` (now: ${rule.waitingRuns})` : ''}.
            </Alert>
          )}
          {rule && problem?.status === 412 && rule.version !== version ? (
            <Alert color="yellow" role="alert" title="Someone else changed this trust rule">
              Your edits are still in the form.{' '}
              <Button variant="default" onClick={() => setVersion(rule.version)} mt={6}>
                Keep my edits
              </Button>
            </Alert>
          ) : (
            <FormErrors problem={problem} />
          )}
          <DialogActions onClose={onClose} pending={create.isPending || update.isPending}>
            {rule ? 'Save' : 'Create trust rule'}
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}

function TrustRuleFields({ form }: { form: UseFormReturnType<RuleForm> }) {
  const { access, environmentIds, planIds } = form.values;
  return (
    <>
      <TextInput
        label="Name"
        placeholder="shop, main branch"
        withAsterisk
        data-autofocus
        {...form.getInputProps('name')}
      />
      <RuleExamples onChoose={(issuer, subject) => form.setValues({ issuer, subject })} />
      <TextInput
        label="Issuer"
        description="Exact value of the claim “iss”: the address of the provider."
        placeholder="https://token.actions.githubusercontent.com"
        withAsterisk
        {...form.getInputProps('issuer')}
      />
      <TextInput
        label="Subject"
        description="Value of the claim “sub”: the job. A * matches any characters."
        placeholder="repo:acme/shop:ref:refs/heads/main"
        withAsterisk
        {...form.getInputProps('subject')}
      />
      <TextInput
        label="Audience"
        description="Value of the claim “aud”. The job requests it from its provider."
        withAsterisk
        {...form.getInputProps('audience')}
      />
      <LabelsInput
        label="Further claims"
        description="Claims that the token must also have, as name=pattern. Press Enter after each."
        placeholder="job_workflow_ref=acme/flows/*"
        {...form.getInputProps('claims')}
      />
      <MemberSelect
        label="Acts as"
        description="A service account is recommended."
        placeholder="Choose a member"
        withAsterisk
        {...form.getInputProps('userId')}
      />
      <ScopeFields
        value={{ access, environmentIds, planIds }}
        onChange={(scope) => form.setValues(scope)}
        errors={{ environmentIds: form.errors.environmentIds, planIds: form.errors.planIds }}
      />
      <NumberInput
        label="Token lifetime, in minutes"
        min={1}
        max={60}
        allowDecimal={false}
        {...form.getInputProps('lifetimeMinutes')}
      />
    </>
  );
}
