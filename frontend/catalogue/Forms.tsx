import {
  Checkbox,
  MultiSelect,
  NumberInput,
  PasswordInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';

const DATA = ['staging', 'production'];
const STATES = [
  {},
  { error: 'Name is already used in this tenant.' },
  { disabled: true, description: 'Needs the Admin role.' },
] as const;

export const Forms = () => (
  <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
    {STATES.map((state, index) => (
      <SimpleGrid key={index} cols={1}>
        <TextInput label="Name" placeholder="web-1" {...state} />
        <NumberInput label="Port" defaultValue={22} {...state} />
        <PasswordInput label="Password" {...state} />
        <Textarea label="Note" {...state} />
        <Select label="Environment" data={DATA} defaultValue="staging" {...state} />
        <MultiSelect label="Environments" data={DATA} defaultValue={['staging']} {...state} />
        <TagsInput label="Labels" defaultValue={['team=web']} {...state} />
        <Checkbox label="Enabled" defaultChecked {...state} />
        <Switch label="Journal" defaultChecked {...state} />
        <SegmentedControl data={['auto', 'interactive']} disabled={'disabled' in state} />
      </SimpleGrid>
    ))}
  </SimpleGrid>
);
