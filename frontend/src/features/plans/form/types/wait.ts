import { type FormStepType, number, text } from './step-type';

interface WaitRow {
  port: number | '';
  url: string;
}

export const WAIT: FormStepType<WaitRow> = {
  label: 'Wait for a port or URL',
  runs: 'hosts',
  process: null,
  blank: { port: '', url: '' },
  read: ({ port, url }) => ({ port: port ?? '', url: url ?? '' }),
  write: ({ port, url }) => ({ ...number('port', port), ...text('url', url) }),
  fields: [
    {
      name: 'port',
      kind: 'number',
      label: 'Port',
      description: 'TCP port of the host. Enter a port or a URL.',
      min: 1,
      max: 65_535,
    },
    {
      name: 'url',
      kind: 'line',
      label: 'URL',
      description: 'Requested from the host until it responds.',
      placeholder: 'http://127.0.0.1:8080/health',
    },
  ],
  commands: () => [],
  texts: () => [],
  outputs: () => [],
  summary: ({ url, port }) => url ?? `port ${port}`,
};
