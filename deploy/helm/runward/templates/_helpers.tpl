{{- define "runward.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "runward.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "runward.labels" -}}
{{ include "runward.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* Pod of one role. Arguments: root, role, probePort, part (values of the role). */ -}}
{{- define "runward.pod" -}}
metadata:
  labels:
    {{- include "runward.selector" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
  {{- with .root.Values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  terminationGracePeriodSeconds: {{ .part.terminationGracePeriodSeconds | default 30 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile: { type: RuntimeDefault }
  containers:
    - name: {{ .role }}
      image: {{ printf "%s:%s" .root.Values.image.repository (.root.Values.image.tag | default .root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      env:
        - { name: RUNWARD_ROLE, value: {{ .role }} }
        - { name: RUNWARD_PUBLIC_URL, value: {{ .root.Values.publicUrl | quote }} }
        - { name: RUNWARD_TRUSTED_PROXIES, value: {{ .root.Values.trustedProxies | quote }} }
        - { name: RUNWARD_MASTER_KEY_FILE, value: /run/secrets/runward/master-key }
        - { name: DATABASE_URL_FILE, value: /run/secrets/runward/database-url }
        {{- range $name, $value := .root.Values.settings }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      ports:
        - { name: http, containerPort: {{ .probePort }} }
      startupProbe:
        httpGet: { path: /api/health/live, port: http }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /api/health/live, port: http }
        periodSeconds: 10
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /api/health/ready, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
      resources: {{- toYaml .part.resources | nindent 8 }}
      volumeMounts:
        - { name: secrets, mountPath: /run/secrets/runward, readOnly: true }
        - { name: data, mountPath: /var/lib/runward }
        - { name: temporary, mountPath: /tmp }
  volumes:
    - name: secrets
      secret: { secretName: {{ .root.Values.existingSecret }}, defaultMode: 0440 }
    - { name: data, emptyDir: {} }
    - { name: temporary, emptyDir: {} }
  {{- with .root.Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
