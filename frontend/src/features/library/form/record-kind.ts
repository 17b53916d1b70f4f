export const RECORD_KINDS = {
  script: { title: 'Script', plural: 'Scripts', list: '/scripts', page: '/scripts/$id', create: '/scripts/new' },
  template: {
    title: 'Template',
    plural: 'Templates',
    list: '/templates',
    page: '/templates/$id',
    create: '/templates/new',
  },
} as const;

export type RecordKind = keyof typeof RECORD_KINDS;
