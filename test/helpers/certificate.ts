import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

/** Certificate and private key of a TLS server, in PEM. */
export interface Certificate {
  cert: string
  key: string
}

interface Keys {
  publicKey: KeyObject
  privateKey: KeyObject
}

interface CertificateOptions {
  /** Host of the certificate: an IPv4 address or a name; 127.0.0.1 by default. */
  host?: string
  /** First and last moment of validity, in days from now; -1 and 2 by default. */
  days?: readonly [from: number, until: number]
}

/** Creates a certificate authority. Node cannot create certificates itself. */
export function certificateAuthority(name = 'Test CA') {
  const keys = newKeys()
  const ca = signed({ subject: name, issuer: name, subjectKeys: keys, issuerKeys: keys, isAuthority: true })
  return {
    ca: ca.cert,
    issue: ({ host = '127.0.0.1', days = [-1, 2] }: CertificateOptions = {}): Certificate =>
      signed({ subject: host, issuer: name, subjectKeys: newKeys(), issuerKeys: keys, days }),
    selfSigned(host = '127.0.0.1'): Certificate {
      const own = newKeys()
      return signed({ subject: host, issuer: host, subjectKeys: own, issuerKeys: own })
    },
  }
}

interface Content {
  subject: string
  issuer: string
  subjectKeys: Keys
  issuerKeys: Keys
  isAuthority?: boolean
  days?: readonly [number, number]
}

const newKeys = (): Keys => generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** Creates an X.509 certificate (RFC 5280). */
function signed({
  subject,
  issuer,
  subjectKeys,
  issuerKeys,
  isAuthority,
  days = [-1, 2],
}: Content): Certificate {
  const isAddress = /^[\d.]+$/.test(subject)
  const address = isAddress ? Buffer.from(subject.split('.').map(Number)) : Buffer.from(subject)
  const names = der(0x30, der(isAddress ? 0x87 : 0x82, address))
  const extensions = isAuthority
    ? extension('551d13', der(0x30, der(0x01, Buffer.from([0xff]))))
    : extension('551d11', names)
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    commonName(issuer),
    der(0x30, ...days.map(dayFromToday)),
    commonName(subject),
    subjectKeys.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, extensions)),
  )
  const signature = createSign('sha256').update(content).sign(issuerKeys.privateKey)
  const whole = der(0x30, content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: String(subjectKeys.privateKey.export({ type: 'pkcs8', format: 'pem' })),
  }
}

/** Encodes up to 65,535 bytes in DER. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const ecdsaWithSha256 = der(0x30, objectId('2a8648ce3d040302'))
const commonName = (name: string) =>
  der(0x30, der(0x31, der(0x30, objectId('550403'), der(0x0c, Buffer.from(name)))))
const extension = (id: string, value: Buffer) => der(0x30, objectId(id), der(0x04, value))

function dayFromToday(days: number): Buffer {
  const [text = ''] = new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]/g, '').split('.')
  return der(0x17, Buffer.from(`${text.slice(2)}Z`))
}
