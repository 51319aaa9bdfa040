"""The national numbers that are looked for: how they are written, and what holds.

A picture is how a number looks: ``0`` for a digit, ``A`` for an ASCII letter,
separators as they are. ``surely`` pictures count on their own, ``likely`` ones
unless the words around say it is something else, ``perhaps`` ones only beside a
word from ``words`` (or, with ``alone``, when the text is nothing but the number).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from manent.scan.pii import identity as rule

GENERIC = (
    "national id", "identity number", "identity code", "identity card", "identification number",
    "id number", "id no", "id code", "id card", "tax id", "tax number", "tax file number",
    "social security", "social insurance", "personal code", "personal id", "personal number",
    "national number", "national insurance",
    "codice fiscale", "carta d'identità", "documento d'identità", "matricola inps",
    "documento de identidad", "número de identificación", "documento nacional",
    "número de identidad", "cédula", "identité", "identification nationale", "numéro fiscal",
    "sécurité sociale", "personalausweis", "ausweisnummer", "steuernummer", "sozialversicherung*",
    "contribuinte", "identificação", "identidade", "documento de identificação",
)  # fmt: skip
"""Words for any national number, beside those of its own country."""


@dataclass(frozen=True, slots=True)
class Number:
    """One kind of national number. ``source``: who publishes its grammar."""

    kind: str
    what: str
    source: str
    holds: Callable[[str], bool]
    words: tuple[str, ...]
    surely: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    alone: bool = False


def _code_pictures() -> tuple[str, ...]:
    """Every way a codice fiscale looks when omocodia turns some digits into letters."""
    found = []
    for turn in product("0A", repeat=7):
        a, b, c, d, e, f, g = turn
        found.append(f"AAAAAA{a}{b}A{c}{d}A{e}{f}{g}A")
        found.append(f"AAA AAA {a}{b}A{c}{d} A{e}{f}{g}A")
        found.append(f"AAA-AAA-{a}{b}A{c}{d}-A{e}{f}{g}A")
        found.append(f"AAAAAA {a}{b}A{c}{d} A{e}{f}{g}A")
    return tuple(found)


N9, N10, N11, N12, N13 = "0" * 9, "0" * 10, "0" * 11, "0" * 12, "0" * 13

NUMBERS = (
    Number(
        "it-codice-fiscale", "Italian codice fiscale", "Decree of 23 December 1976, Italy",
        rule.codice_fiscale, ("codice fiscale", "=CF", "c.f.", "=cf"), surely=_code_pictures(),
    ),
    Number(
        "es-dni", "Spanish DNI", "Real Decree 1553/2005, Spain", rule.dni,
        ("=DNI", "=NIF", "dni", "nif", "documento nacional", "d.n.i."),
        likely=("00000000A", "00000000-A", "00.000.000-A", "00.000.000A"),
        perhaps=("00000000 A", "00 000 000 A", "00.000.000 A", "0000000A", "0000000-A"),
        alone=True,
    ),
    Number(
        "es-nie", "Spanish NIE", "Instituto Nacional de Estadística, Spain", rule.nie,
        ("=NIE", "nie", "extranjero", "n.i.e."),
        likely=("A0000000A", "A0000000-A", "A-0000000-A", "A-0000000A"),
        perhaps=("A 0000000 A",), alone=True,
    ),
    Number(
        "pt-nif", "Portuguese NIF", "Decree-Law 14/2013, Portugal", rule.pt_nif,
        ("=NIF", "nif*", "contribuinte", "número fiscal", "finanças"), perhaps=(N9,
        "000 000 000"),
    ),
    Number(
        "fr-nir", "French social security number", "INSEE, France", rule.nir,
        ("sécurité sociale", "sécu", "=NIR", "nir", "insee", "vitale", "assuré"),
        surely=("0 00 00 00 000 000 00", "0 00 00 0A 000 000 00", "000000A00000000"),
        likely=("0" * 15, "0" * 13 + " 00", "0 00 00 00 000 000-00", "0-00-00-00-000-000-00"),
    ),
    Number(
        "de-steuer-id", "German tax identification number", "Bundeszentralamt für Steuern",
        rule.steuer_id,
        ("steuer*", "idnr", "id-nr", "steuer-id", "tin",
         "lohnsteuer*", "finanzamt", "steuerliche"),
        likely=("00 000 000 000",), perhaps=(N11, "00-000-000-000", "000 000 00 000"),
    ),
    Number(
        "de-rvnr", "German pension insurance number", "VKVV, Germany", rule.sozialversicherung,
        ("sozialversicherung*", "rentenversicherung*", "rvnr", "=RV", "=SV", "sv-nummer",
         "versicherungsnummer", "sozialversicherungsnummer", "sozialversicherungsausweis"),
        surely=("00 000000 A 000",), likely=("00000000A000",), perhaps=("00 000000A000",),
    ),
    Number(
        "at-svnr", "Austrian social insurance number",
        "Dachverband der Sozialversicherungsträger",
        rule.at_svnr,
        ("svnr", "sv-nr", "=SV", "sozialversicherung*", "sozialversicherungsnummer",
         "versicherungsnummer", "e-card"),
        perhaps=(N10, "0000 000000", "0000-000000", "0000 00 00 00"),
    ),
    Number(
        "ch-ahv", "Swiss AHV number", "Zentrale Ausgleichsstelle, Switzerland", rule.ahv,
        ("=AHV", "=AVS", "ahv", "avs"), surely=("000.0000.0000.00",),
        likely=("000 0000 0000 00",), perhaps=(N13, "000-0000-0000-00"),
    ),
    Number(
        "nl-bsn", "Dutch BSN", "Logisch ontwerp BSN, Netherlands", rule.bsn,
        ("=BSN", "bsn", "burgerservicenummer", "sofinummer", "sofi-nummer", "burger service"),
        perhaps=(N9, "0000.00.000", "000.000.000", "000 000 000", "0000 00 000", "00000000"),
    ),
    Number(
        "be-nn", "Belgian national number", "Rijksregister, Belgium", rule.be_nn,
        ("rijksregister*", "registre national", "=NISS", "=INSZ", "niss", "insz", "=NN", "rrn",
         "rijksregisternummer", "nationaal nummer", "numéro national"),
        surely=("00.00.00-000.00",), likely=("00.00.00.000.00", "00 00 00 000 00"),
        perhaps=(N11, "000000-000-00", "00.00.00 000.00", "000000 000 00", "000000-00000"),
    ),
    Number(
        "lu-matricule", "Luxembourg matricule", "CCSS, Luxembourg", rule.lu_matricule,
        ("matricule", "ccss", "sécurité sociale"),
        likely=(N13, "0000 0000 00000", "0000 00 00 00000", "00000000 00000"),
    ),
    Number(
        "uk-nino", "UK National Insurance number", "HMRC manual NIM39110", rule.nino,
        ("national insurance", "nino", "=NI", "ni no", "ni number", "n.i."),
        likely=("AA 00 00 00 A", "AA000000A", "AA 000000 A", "AA-00-00-00-A", "AA000000 A",
                "AA 00 00 00A"),
    ),
    Number(
        "uk-nhs", "UK NHS number", "NHS Data Dictionary", rule.nhs,
        ("nhs", "=NHS", "patient"), perhaps=(N10, "000 000 0000", "000-000-0000"),
    ),
    Number(
        "ie-pps", "Irish PPS number", "Department of Social Protection, Ireland", rule.pps,
        ("=PPS", "=PPSN", "pps", "ppsn", "personal public service"),
        perhaps=("0000000A", "0000000AA", "0000000 A", "0000000 AA"), alone=True,
    ),
    Number(
        "se-personnummer", "Swedish personal identity number", "Skatteverket, Sweden",
        rule.personnummer,
        ("personnummer", "=PNR", "pnr", "samordningsnummer", "svenskt id", "personnr",
        "födelsenummer",
         "swedish", "född"),
        likely=("000000-0000", "00000000-0000", "000000+0000"),
        perhaps=(N12, N10, "000000 0000", "00000000 0000"), alone=True,
    ),
    Number(
        "no-fnr", "Norwegian national identity number", "Skatteetaten, Norway",
        rule.fodselsnummer,
        ("fødselsnummer", "personnummer", "fnr", "d-nummer", "fødselsnr", "personnr"),
        likely=("000000 00000", "000000-00000"), perhaps=(N11,), alone=True,
    ),
    Number(
        "dk-cpr", "Danish CPR number", "CPR-kontoret, Denmark", rule.cpr,
        ("=CPR", "cpr", "cpr-nr", "cpr-nummer", "personnummer", "cprnr"),
        perhaps=("000000-0000", N10, "000000 0000"),
    ),
    Number(
        "fi-hetu", "Finnish personal identity code", "Digi- ja väestötietovirasto, Finland",
        rule.hetu,
        ("hetu*", "henkilötunnu*", "sotu", "personbeteckning", "finnish"),
        surely=("000000-000A", "000000+000A"), likely=("000000-0000", "000000+0000"),
    ),
    Number(
        "fi-hetu", "Finnish personal identity code", "Digi- ja väestötietovirasto, Finland",
        rule.hetu_lettered, ("hetu*", "henkilötunnu*", "sotu", "personbeteckning", "finnish"),
        surely=("000000A000A",), likely=("000000A0000",),
    ),
    Number(
        "is-kennitala", "Icelandic kennitala", "Þjóðskrá, Iceland", rule.kennitala,
        ("kennitala", "=kt"), perhaps=("000000-0000", N10, "000000 0000"),
    ),
    Number(
        "ee-isikukood", "Estonian personal code", "Rahvastikuregister, Estonia", rule.isikukood,
        ("isikukood", "isikukoodi", "estonian"), perhaps=(N11,), alone=True,
    ),
    Number(
        "lt-asmens-kodas", "Lithuanian personal code", "Registrų centras, Lithuania",
        rule.isikukood, ("asmens kodas", "asmens kodo", "a.k.", "lithuanian"), perhaps=(N11,),
    ),
    Number(
        "lv-personas-kods", "Latvian personal code", "PMLP, Latvia", rule.lv_code,
        ("personas kods", "personas koda", "p.k.", "latvian"),
        perhaps=("000000-00000", N11, "000000 00000"),
    ),
    Number(
        "pl-pesel", "Polish PESEL", "Act of 24 September 2010, Poland", rule.pesel,
        ("=PESEL", "pesel", "numer ewidencyjny"), perhaps=(N11, "000000 00000", "000000-00000"),
        alone=True,
    ),
    Number(
        "cz-rodne-cislo", "Czech or Slovak birth number", "Act 133/2000, Czechia",
        rule.rodne_cislo,
        ("rodné číslo", "rodného čísla", "=RČ", "rč", "r.č.", "rodne cislo", "birth number",
        "r. č."),
        likely=("000000/0000",), perhaps=("000000/000", N10, "000000 0000"),
    ),
    Number(
        "ro-cnp", "Romanian CNP", "Law 105/1996, Romania", rule.cnp,
        ("=CNP", "cnp", "cod numeric personal"), perhaps=(N13,), alone=True,
    ),
    Number(
        "bg-egn", "Bulgarian EGN", "ГРАО, Bulgaria", rule.egn,
        ("егн", "=EGN", "egn", "единен граждански номер", "единния граждански"), perhaps=(N10,),
    ),
    Number(
        "hr-oib", "Croatian OIB", "Act on the personal identification number, Croatia", rule.oib,
        ("=OIB", "oib", "osobni identifikacijski"), perhaps=(N11,),
    ),
    Number(
        "yu-jmbg", "JMBG or EMŠO", "Official Gazette of the SFRY 58/1976", rule.jmbg,
        ("=JMBG", "jmbg", "emšo", "=EMŠO", "emso", "матични број", "јмбг", "матичен број", "ембг",
         "embg", "matični broj"),
        perhaps=(N13,), alone=True,
    ),
    Number(
        "hu-taj", "Hungarian TAJ number", "Act XX of 1996, Hungary", rule.taj,
        ("=TAJ", "taj szám", "taj-szám", "tajszám", "taj"), perhaps=(N9, "000 000 000",
        "000-000-000"),
    ),
    Number(
        "hu-tax", "Hungarian tax number", "Act XX of 1996, Hungary", rule.adoazonosito,
        ("adóazonosító", "adóazonosító jel", "adószám"), perhaps=(N10, "0000 000 000"),
    ),
    Number(
        "gr-afm", "Greek tax number", "AADE, Greece", rule.afm,
        ("αφμ", "α.φ.μ.", "=AFM", "afm"), perhaps=(N9,),
    ),
    Number(
        "gr-amka", "Greek social insurance number", "ΗΔΙΚΑ, Greece", rule.amka,
        ("αμκα", "α.μ.κ.α.", "=AMKA", "amka"), perhaps=(N11,),
    ),
    Number(
        "cy-tic", "Cypriot tax number", "Tax Department, Cyprus", rule.cy_tic,
        ("=TIC", "tax identification code", "φορολογικής ταυτότητας", "αφτ"),
        perhaps=("00000000A", ),
    ),
    Number(
        "mt-id", "Maltese identity card number", "Identità, Malta", rule.always,
        ("karta tal-identità", "maltese", "malta id", "karta ta' l-identità"),
        perhaps=("0000000A", "000000A", "00000A"),
    ),
    Number(
        "tr-tckn", "Turkish identity number", "NVİ, Turkey", rule.tckn,
        ("kimlik*", "tckn", "=TCKN", "=TC", "t.c.", "=T.C", "kişi", "vatandaşlık", "nüfus"),
        perhaps=(N11, "000 000 000 00", "000 00 000 000"), alone=True,
    ),
    Number(
        "ru-snils", "Russian SNILS", "Pension Fund of Russia", rule.snils,
        ("снилс", "страховой номер", "snils"), surely=("000-000-000 00", "000-000-000-00"),
        perhaps=(N11, "000 000 000 00"),
    ),
    Number(
        "ru-inn", "Russian tax number", "Order ММВ-7-6/435, Russia", rule.inn,
        ("инн", "=INN", "налогоплательщика"), perhaps=(N12,),
    ),
    Number(
        "ru-passport", "Russian internal passport", "Decree 828 of 1997, Russia", rule.always,
        ("паспорт", "паспорта", "паспортные", "серия"),
        perhaps=("00 00 000000", "0000 000000", N10, "0000 № 000000"),
    ),
    Number(
        "ua-rnokpp", "Ukrainian tax number", "Tax Code article 70, Ukraine", rule.rnokpp,
        ("рнокпп", "іпн", "ідентифікаційний", "облікової картки", "інн"), perhaps=(N10,),
    ),
    Number(
        "kz-iin", "Kazakh IIN", "Act 223-III of 2007, Kazakhstan", rule.iin,
        ("иин", "жсн", "=IIN", "iin"), perhaps=(N12,),
    ),
    Number(
        "us-ssn", "US Social Security number", "SSA, POMS RM 10201", rule.ssn,
        ("=SSN", "ssn", "social security", "soc sec", "social-security", "ss#", "w-2", "w2",
        "1099",
         "w-4", "=SS", "seguro social", "taxpayer", "payroll"),
        surely=("000-00-0000",), likely=("000 00 0000", "000.00.0000"),
        perhaps=(N9, "000 000000", "000-000000", "00000-0000", "000/00/0000",
                 "000_00_0000"),
    ),
    Number(
        "us-itin", "US ITIN", "IRS publication 1915", rule.itin, ("=ITIN", "itin", "taxpayer"),
        likely=("000-00-0000",), perhaps=(N9, "000 00 0000"),
    ),
    Number(
        "ca-sin", "Canadian SIN", "Service Canada", rule.sin,
        ("=SIN", "=NAS", "s.i.n.", "social insurance", "assurance sociale", "sin:", "sin number",
         "my sin is", "sin card", "insurance number"),
        perhaps=(N9, "000-000-000", "000 000 000", "000.000.000"), alone=True,
    ),
    Number(
        "mx-curp", "Mexican CURP", "RENAPO, Mexico", rule.curp, ("=CURP", "curp"),
        surely=("AAAA000000AAAAAA00", "AAAA000000AAAAAAA0"),
    ),
    Number(
        "mx-rfc", "Mexican RFC", "SAT, Mexico", rule.rfc,
        ("=RFC", "registro federal", "contribuyente"),
        perhaps=("AAAA000000AAA", "AAAA000000AA0", "AAAA000000A00", "AAAA000000000",
                 "AAAA0000000A0", "AAAA0000000AA", "AAAA000000A0A", "AAAA00000000A",
                 "AAAA-000000-AA0", "AAAA-000000-A00", "AAAA-000000-000", "AAAA-000000-0A0"),
    ),
    Number(
        "br-cpf", "Brazilian CPF", "Receita Federal, Brazil", rule.cpf,
        ("=CPF", "cpf", "cadastro de pessoa", "pessoa física", "receita federal"),
        surely=("000.000.000-00",), likely=("000 000 000 00", "000000000-00"),
        perhaps=(N11, "000-000-000-00", "000.000.000.00", "000 000 000-00"),
    ),
    Number(
        "ar-cuil", "Argentine CUIL", "ANSES, Argentina", rule.cuil,
        ("=CUIL", "=CUIT", "cuil", "cuit", "anses", "afip"), likely=("00-00000000-0",),
        perhaps=(N11, "00 00000000 0", "00.00000000.0"),
    ),
    Number(
        "ar-dni", "Argentine DNI", "RENAPER, Argentina", rule.always,
        ("=DNI", "d.n.i.", "documento nacional de identidad"), perhaps=("00.000.000",),
    ),
    Number(
        "cl-rut", "Chilean RUT", "Servicio de Registro Civil, Chile", rule.rut,
        ("=RUT", "=RUN", "rut", "r.u.t.", "rol único", "cédula"),
        likely=("00.000.000-0", "0.000.000-0", "00.000.000-A", "0.000.000-A", "00000000-A"),
        perhaps=("00000000-0", "0000000-0", "0000000-A", N9, "00000000A", "00.000.0000",
                 "00 000 000-0", "0000000A", "00000000"),
    ),
    Number(
        "co-cedula", "Colombian cédula", "Registraduría Nacional, Colombia", rule.always,
        ("cédula de ciudadanía", "cedula de ciudadania", "cédula no", "=C.C", "=CC"),
        perhaps=("0.000.000.000", "00.000.000", N10),
    ),
    Number(
        "uy-ci", "Uruguayan identity number", "DNIC, Uruguay", rule.ci_uy,
        ("cédula", "=CI", "c.i.", "cedula", "documento"), likely=("0.000.000-0",),
        perhaps=("0000000-0", "00000000"),
    ),
    Number(
        "ec-ci", "Ecuadorian cédula", "Registro Civil, Ecuador", rule.ci_ec,
        ("cédula", "cedula", "=CI", "c.i."), perhaps=(N10, "000000000-0"),
    ),
    Number(
        "do-cedula", "Dominican cédula", "JCE, Dominican Republic", rule.cedula_do,
        ("cédula", "cedula"), likely=("000-0000000-0",), perhaps=(N11,),
    ),
    Number(
        "cn-ric", "Chinese resident identity number", "GB 11643-1999", rule.ric,
        ("身份证", "身分证", "公民身份", "证件号", "resident identity"),
        surely=("0" * 18, "0" * 17 + "A"), perhaps=("000000 00000000 0000", "000000 00000000 000A"),
    ),
    Number(
        "tw-id", "Taiwanese national identity number", "Ministry of the Interior, Taiwan",
        rule.tw_id, ("身分證", "身份證", "統一編號", "居留證"), likely=("A000000000",), alone=True,
    ),
    Number(
        "hk-id", "Hong Kong identity card number", "Immigration Department, Hong Kong", rule.hkid,
        ("=HKID", "hkid", "身份證", "身分證", "hong kong", "香港"),
        surely=("A000000(0", "A000000(A", "AA000000(0", "AA000000(A"),
        perhaps=("A0000000", "AA0000000", "A000000A", "A000000-0"),
    ),
    Number(
        "jp-my-number", "Japanese My Number", "Ministerial Ordinance 85 of 2014, Japan",
        rule.my_number, ("マイナンバー", "個人番号", "my number", "mynumber"),
        perhaps=(N12, "0000 0000 0000", "0000-0000-0000"),
    ),
    Number(
        "kr-rrn", "Korean resident registration number", "Resident Registration Act, South Korea",
        rule.rrn,
        ("주민등록번호", "주민번호", "=RRN", "rrn", "외국인등록번호", "주민", "resident registration"),
        likely=("000000-0000000",), perhaps=(N13, "000000 0000000"),
    ),
    Number(
        "kr-rrn", "Korean resident registration number", "Resident Registration Act, South Korea",
        rule.rrn_checked, ("주민등록번호", "주민번호"), perhaps=(N13,), alone=True,
    ),
    Number(
        "sg-nric", "Singaporean NRIC or FIN", "ICA, Singapore", rule.nric,
        ("=NRIC", "=FIN", "nric", "singapore"), likely=("A0000000A",), alone=True,
    ),
    Number(
        "my-mykad", "Malaysian MyKad number", "JPN, Malaysia", rule.mykad,
        ("mykad", "=NRIC", "nric", "kad pengenalan", "=IC", "no. kp", "=KP"),
        likely=("000000-00-0000",), perhaps=(N12, "000000 00 0000"),
    ),
    Number(
        "th-id", "Thai identity number", "Department of Provincial Administration, Thailand",
        rule.th_id, ("บัตรประชาชน", "เลขประจำตัว", "thai id", "thai"),
        surely=("0-0000-00000-00-0", "0 0000 00000 00 0"), perhaps=(N13,),
    ),
    Number(
        "id-nik", "Indonesian NIK", "Act 23 of 2006, Indonesia", rule.nik,
        ("=NIK", "nik", "=KTP", "ktp", "kependudukan", "penduduk"), perhaps=("0" * 16,
        "000000 000000 0000"),
    ),
    Number(
        "vn-cccd", "Vietnamese citizen identity number", "Decree 137/2015, Vietnam", rule.vn_cccd,
        ("=CCCD", "cccd", "căn cước", "=CMND"), perhaps=(N12, "000 000 000 000"),
    ),
    Number(
        "in-aadhaar", "Indian Aadhaar number", "UIDAI, India", rule.aadhaar,
        ("aadhaar", "aadhar", "adhaar", "uidai", "=UID", "आधार", "ಆಧಾರ್", "ஆதார்", "ఆధార్"),
        likely=("0000 0000 0000", "0000-0000-0000", "0000:0000:0000"),
        perhaps=(N12, "0000.0000.0000"), alone=True,
    ),
    Number(
        "in-pan", "Indian PAN", "Income Tax Department, India", rule.pan,
        ("=PAN", "pan card", "permanent account", "पैन"), perhaps=("AAAAA0000A",),
    ),
    Number(
        "pk-cnic", "Pakistani CNIC", "NADRA, Pakistan", rule.cnic,
        ("=CNIC", "cnic", "nadra", "شناختی"), likely=("00000-0000000-0",), perhaps=(N13,),
    ),
    Number(
        "il-id", "Israeli identity number", "Population Authority, Israel", rule.il_id,
        ("תעודת זהות", "ת.ז", "ת״ז", "ת\"ז", "מספר זהות", "teudat zehut", "israeli id"),
        perhaps=(N9, "00000000-0", "0 0000000 0"),
    ),
    Number(
        "ae-emirates-id", "Emirates ID", "ICP, United Arab Emirates", rule.emirates_id,
        ("emirates id", "الهوية", "=EID"), surely=("000-0000-0000000-0",),
        perhaps=("0" * 15, "000 0000 0000000 0"),
    ),
    Number(
        "sa-id", "Saudi identity number", "Absher, Saudi Arabia", rule.sa_id,
        ("هوية", "الهوية", "إقامة", "الإقامة", "iqama", "saudi"), perhaps=(N10,),
    ),
    Number(
        "eg-id", "Egyptian national number", "Civil Status, Egypt", rule.eg_id,
        ("الرقم القومي", "رقم قومي", "بطاقة", "egyptian"), perhaps=("0" * 14,),
    ),
    Number(
        "za-id", "South African identity number", "Identification Act 68 of 1997", rule.za_id,
        ("south african", "=SA", "=RSA", "said", "sa id", "identiteitsnommer", "id-nommer",
        "id nommer",
         "=ID"),
        perhaps=(N13, "000000 0000 000", "000000 0000 00 0", "000000-0000-000"), alone=True,
    ),
    Number(
        "au-tfn", "Australian tax file number", "Australian Taxation Office", rule.tfn,
        ("=TFN", "tfn", "tax file"), perhaps=("000 000 000", N9, "000-000-000"), alone=True,
    ),
    Number(
        "au-medicare", "Australian Medicare number", "Services Australia", rule.medicare,
        ("medicare",), perhaps=("0000 00000 0", N10, "0000 00000 0-0", "0000-00000-0"),
    ),
    Number(
        "nz-ird", "New Zealand IRD number", "Inland Revenue, New Zealand", rule.ird,
        ("=IRD", "ird", "inland revenue"), perhaps=("000-000-000", "00-000-000", N9, "00000000",
                                                  "000 000 000", "00 000 000"),
    ),
)  # fmt: skip
"""Every national number, the most telling first: the first that holds names the finding."""

ALL_WORDS = tuple(dict.fromkeys(word for number in NUMBERS for word in number.words))
"""The words of every national number."""
