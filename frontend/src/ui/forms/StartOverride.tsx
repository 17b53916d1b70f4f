import { Checkbox, Textarea } from '@mantine/core';

interface Props {
  label: string;
  /** Reason as typed; null = no override. */
  override: string | null;
  onChange: (override: string | null) => void;
}

/** Lets an admin start a run despite a freeze or closed run windows, with a reason. */
export const StartOverride = ({ label, override, onChange }: Props) => (
  <>
    <Checkbox
      label={label}
      checked={override !== null}
      onChange={(event) => onChange(event.currentTarget.checked ? '' : null)}
    />
    {override !== null && (
      <Textarea
        label="Reason"
        description="Shown on the run and in the audit trail."
        withAsterisk
        autosize
        minRows={1}
        maxRows={4}
        maxLength={500}
        value={override}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </>
);
