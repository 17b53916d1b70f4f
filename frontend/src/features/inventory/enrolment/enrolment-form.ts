import type { CreateEnrolmentRequest } from '../../../api/types';
import { missingChoices, tagsOf } from '../form/server-form';

export const LIFETIMES = [
  { value: '900', label: '15 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

export interface EnrolmentForm {
  environmentId: string | null;
  sshKeyId: string | null;
  username: string;
  port: number | '';
  /** Empty: use the host name of the machine. */
  name: string;
  /** Tags, each as `key=value`. */
  tags: string[];
  jumpServerId: string | null;
  /** In seconds. */
  lifetime: string;
}

export const emptyForm = (environmentId?: string): EnrolmentForm => ({
  ...{ environmentId: environmentId ?? null, sshKeyId: null, username: '', port: 22, name: '', tags: [] },
  ...{ jumpServerId: null, lifetime: '3600' },
});

export function toRequest(form: EnrolmentForm): CreateEnrolmentRequest {
  const { environmentId, sshKeyId, username, port, name, tags, jumpServerId, lifetime } = form;
  return {
    environmentId: environmentId ?? '',
    sshKeyId: sshKeyId ?? '',
    username: username.trim(),
    ...(port === '' ? {} : { port }),
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    tags: tagsOf(tags),
    jumpServerId,
    expiresInSeconds: Number(lifetime),
  };
}

const FIELDS: Record<string, keyof EnrolmentForm> = {
  ...{ environmentId: 'environmentId', sshKeyId: 'sshKeyId', username: 'username', port: 'port', name: 'name' },
  ...{ tags: 'tags', jumpServerId: 'jumpServerId' },
};
export const isEnrolmentField = (path: string): boolean => Object.hasOwn(FIELDS, path);

export const missing = ({ environmentId, sshKeyId }: EnrolmentForm): Record<string, string> =>
  missingChoices({ environmentId, sshKeyId });
