#include "expr/attr.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* A line of attributes and what a template gives for it; NULL where it is an error. */
struct row {
    const char *text;
    const char *line;
    const char *gives;
};

enum outcome { GIVES, FAILS, REFUSED };

static const char *environment(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "HOME") == 0 ? "/root" : NULL;
}

/* Evaluate R under RULES; the text or the message goes to OUT. */
static enum outcome evaluate(const struct row *r, bool nifi, struct buf *out, bool *missing)
{
    struct attr_template *t;
    struct err e = {0};
    struct attr_rules rules = {.nifi = nifi};
    if (attr_compile_with(&t, span_text(r->text), &rules, &e) < 0) {
        cr_expect_eq(e.code, ERR_USAGE, "%s", r->text);
        buf_add_text(out, e.text);
        return REFUSED;
    }
    attr_outside(t, environment, NULL);
    int rc = attr_eval(t, span_text(r->line), out, missing, &e);
    if (rc < 0) {
        cr_expect_eq(e.code, ERR_DATA, "%s", r->text);
        buf_reset(out);
        buf_add_text(out, e.text);
    }
    attr_free(t);
    return rc < 0 ? FAILS : GIVES;
}

/* Each row gives its text, or is refused or fails where it has none. */
static void check(const struct row *rows, size_t count, bool nifi, enum outcome otherwise)
{
    for (size_t i = 0; i < count; i++) {
        struct buf out = {0};
        enum outcome got = evaluate(&rows[i], nifi, &out, NULL);
        cr_expect_eq(got, rows[i].gives ? GIVES : otherwise, "%s: %s", rows[i].text,
                     buf_text(&out));
        if (rows[i].gives) {
            cr_expect_str_eq(buf_text(&out), rows[i].gives, "%s", rows[i].text);
        }
        buf_release(&out);
    }
}

#define CHECK(rows, nifi, otherwise) check(rows, sizeof rows / sizeof *rows, nifi, otherwise)

/* reference/wait-notify.md 5.1 to 5.3 */
static const struct row notation[] = {
    {"", "{}", ""},
    {"cost $5 and $$5", "{}", "cost $5 and $$5"},
    {"$${a}", "{\"a\":\"x\"}", "${a}"},
    {"$$${a}", "{\"a\":\"x\"}", "$x"},
    {"$$$$${a}", "{\"a\":\"x\"}", "$$x"},
    {"$5 ${a}$", "{\"a\":\"x\"}", "$5 x$"},
    {"${a:append('$${a}$$$${a}')}", "{\"a\":\"x\"}", "x${a}$${a}"},
    {"${a:append('$$${a}')}", "{\"a\":\"x\"}", "x$x"},
    {"$$${5 because no closing brace", "{}", "$$${5 because no closing brace"},
    {"${a", "{\"a\":\"x\"}", "${a"},
    {"${a ${a}", "{\"a\":\"x\"}", "${a ${a}"},
    {"{${a}}", "{\"a\":\"x\"}", "{x}"},
    {"${ a : toUpper ( ) }", "{\"a\":\"x\"}", "X"},
    {"${a # it\n:append('z')}", "{\"a\":\"x\"}", "xz"},
    {"${\"a\"# it\n}", "{\"a\":\"x\"}", "x"},
    {"${a#b}", "{\"a#b\":\"x\"}", "x"},
    {"${-a.b_c}", "{\"-a.b_c\":\"x\"}", "x"},
    {"${\xd0\xba\xd0\xbb}", "{\"\xd0\xba\xd0\xbb\":\"x\"}", "x"},
    {"${'a}b'}", "{\"a}b\":\"x\"}", "x"},
    {"${\"it's\"}", "{\"it's\":\"x\"}", "x"},
    {"${A}", "{\"a\":\"x\"}", ""},
    {"${${b}}", "{\"a\":\"x\",\"b\":\"a\"}", "x"},
    {"${'${b}-${b}'}", "{\"a-a\":\"x\",\"b\":\"a\"}", "x"},
    {"${a:append('<${b:append(\"}\")}>')}", "{\"a\":\"x\",\"b\":\"y\"}", "x<y}>"},
    {"${a:append(${b:append(${c})})}", "{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"}", "123"},
    {"${HOME}", "{}", "/root"},
    {"${HOME}", "{\"HOME\":\"/home\"}", "/home"},
    {"${HOME}", "{\"HOME\":null}", "/root"},
    {"${HOME}", "null", "/root"},
    {"${a} ${b} ${c} ${d}", "{\"a\":1.10,\"b\":true,\"c\":[1,{\"x\":2}],\"d\":null}",
     "1.10 true [1,{\"x\":2}] "},
    {"${a}", "{\"a\":\"1\",\"a\":\"\\u00e9\\\"\"}", "\xc3\xa9\""},
};

/* Escapes; so many of them in one string are too much for NiFi's scanner (E096). */
static const struct row escapes[] = {
    {"${a:append('\\n\\t\\\\\\d\\'\\\"')}", "{\"a\":\"x\"}", "x\n\t\\\\d'\""},
    {"${a:append('${b:append(\\'\\\\d\\')}')}", "{\"a\":\"x\",\"b\":\"y\"}", "xy\\d"},
};

Test(attr, notation)
{
    CHECK(notation, false, FAILS);
    CHECK(notation, true, FAILS);
    CHECK(escapes, false, FAILS);
}

/* Functions as reference/wait-notify.md 5.4 and NiFi's guide have them. */
static const struct row functions[] = {
    /* null and empty */
    {"${no:append(${no}):isNull()}", "{}", "false"},
    {"${no:toUpper():isNull()}", "{}", "true"},
    {"${no:substring(1):isNull()} ${no:substringAfter('x'):isNull()}", "{}", "false false"},
    {"${no:plus(1):isNull()} ${no:plus(1):replaceNull('7')}", "{}", "true 7"},
    {"${no:length()} ${no:indexOf('x')} ${no:contains('')}", "{}", "0 -1 false"},
    {"${no:or(true)} ${no:or(false)} ${a:and(false)}", "{\"a\":\"true\"}", "true false false"},
    {"${no:hash('MD5'):isNull()} ${no:replace('a','b'):isNull()}", "{}", "true true"},
    {"${no:in('')} ${no:gt(0)} ${no:le(0)} ${no:matches('.*')}", "{}", "false false false false"},
    {"${no:isEmpty()} ${a:isEmpty()} ${a:notNull()}", "{\"a\":\" \\t\\u00a0\"}", "true false true"},
    /* numbers */
    {"${a:plus(1)} ${a:toNumber()}", "{\"a\":\"0x1F\"}", "32 31"},
    {"${a:plus(1)} ${a:toNumber():isNull()}", "{\"a\":\"5e3\"}", " true"},
    {"${a:plus(1)} ${a:toNumber()}", "{\"a\":\"5.0e3\"}", "5001.0 5000"},
    {"${a:plus(1)}${b:plus(1)}${c:plus(1)}", "{\"a\":\"5.\",\"b\":\"5.e3\",\"c\":\"5.0d\"}", ""},
    {"${a:plus('1')} ${a:minus(-1)}", "{\"a\":\" +5 \"}", "6 6"},
    {"${a:toNumber()} ${b:toNumber()}", "{\"a\":\"3.9\",\"b\":\"-3.9\"}", "3 -3"},
    {"${a:toNumber()}", "{\"a\":\"007\"}", "7"},
    {"${a:divide(2)} ${a:mod(2)} ${a:mod(-2)}", "{\"a\":\"-7\"}", "-3 -1 -1"},
    {"${a:divide(0.0)} ${a:mod(2.5)}", "{\"a\":\"7\"}", "Infinity 2.0"},
    {"${a:multiply(10.0)} ${a:multiply(0.1)}", "{\"a\":\"1000000\"}", "1.0E7 100000.0"},
    {"${a:plus(0.2)}", "{\"a\":\"0.1\"}", "0.30000000000000004"},
    {"${a:divide(1000)} ${a:divide(10000)}", "{\"a\":\"1.0\"}", "0.001 1.0E-4"},
    {"${a:multiply(-1)}", "{\"a\":\"0.0\"}", "-0.0"},
    {"${literal(1.5):plus(.5)} ${literal(1e2)}", "{}", "2.0 100.0"},
    {"${a:gt(9)} ${a:ge(10.0)} ${a:lt('11')} ${a:le(9.9)}", "{\"a\":\"10\"}",
     "true true true false"},
    {"${a:toRadix(16)} ${a:toRadix(2,12)} ${a:toRadix(36):fromRadix(36)}", "{\"a\":\"1024\"}",
     "400 010000000000 1024"},
    {"${a:toRadix(16,4)} ${a:toRadix(16,2)}", "{\"a\":\"255\"}", "00ff ff"},
    {"<${a:toRadix(${no})}${a:fromRadix(${no})}>", "{\"a\":\"255\"}", "<>"},
    {"${b:math('sqrt')} ${b:math('pow', 2.0)} ${a:math('max', 7)} ${b:math('round')}",
     "{\"a\":\"16\",\"b\":\"6.25\"}", "2.5 39.0625 16 6"},
    {"<${no:math('random')}${a:math(${no})}>", "{\"a\":\"1\"}", "<>"},
    {"${a:math('abs')} ${b:math('abs')}", "{\"a\":\"-3\",\"b\":\"-3.5\"}", "3 3.5"},
    {"${random():ge(0)}", "{}", "true"},
    /* null as an argument, blank texts, what only looks like JSON */
    {"${a:append(null)}${no:replaceNull(null):isNull()}${a:equals(null)}", "{\"a\":\"x\"}",
     "xtruefalse"},
    {"${a:isEmpty()} ${b:isEmpty()} ${c:isEmpty()}",
     "{\"a\":\"\\u2003\\u3000\",\"b\":\"\\u00a0\",\"c\":\"\\u0001\"}", "true false false"},
    {"${a:isJson()} ${b:isJson()} ${c:isJson()}", "{\"a\":\"7\",\"b\":\" {} \",\"c\":\"[1\"}",
     "false true false"},
    {"${a:escapeXml()}", "{\"a\":\"a\\u0001\\u007f\\ufffe<\"}", "a&#127;&lt;"},
    {"${no:escapeJson():isNull()}", "{}", "false"},
    {"${literal(5):not()} ${literal(true):ifElse('a','b')} ${literal(2):plus(1)}", "{}",
     "true a 3"},
    {"${allDelineatedValues('',','):count()} ${allDelineatedValues(',,',','):count()}", "{}",
     "1 0"},
    {"${allDelineatedValues(${no},','):count()} ${allDelineatedValues('a',${no}):count()}", "{}",
     "0 0"},
    {"${allDelineatedValues(',,a,,b,,',','):join('.')}", "{}", "..a..b"},
    /* truth */
    {"${a:equals('05')} ${a:equals(5)} ${a:toNumber():equals(5)}", "{\"a\":\"05\"}",
     "true false true"},
    {"${a:toNumber():equals('5')} ${a:toDecimal():equals(5)}", "{\"a\":\"05\"}", "true false"},
    {"${a:equals(${no})} ${no:equals(${no})}", "{\"a\":\"\"}", "false false"},
    {"${a:equalsIgnoreCase('\xc3\x89t')} ${a:equalsIgnoreCase('\xc3\x89')}",
     "{\"a\":\"\xc3\xa9T\"}", "true false"},
    {"${a:equals('x'):and(${a:length():gt(5)}):or(${a:notNull()}):not()}", "{\"a\":\"x\"}",
     "false"},
    {"${a:isNull():ifElse('gone',${a:append('!')})}", "{\"a\":\"x\"}", "x!"},
    {"${a:isNull():ifElse(${a:divide(0)},'lazy')}", "{\"a\":\"1\"}", "lazy"},
    {"${a:in('p','q','r')} ${a:in('p')}", "{\"a\":\"q\"}", "true false"},
    {"${a:find('b.?c')} ${a:matches('b.?c')} ${a:matches(${re})}",
     "{\"a\":\"abxcd\",\"re\":\"a.*d\"}", "true false true"},
    {"${a:startsWith('ab')} ${a:endsWith('cd')} ${a:contains('')}", "{\"a\":\"abcd\"}",
     "true true true"},
    /* texts */
    {"${a:toUpper()} ${a:toLower()}",
     "{\"a\":\"stra\xc3\x9f"
     "e \xce\xa3\xce\x91\xce\xa3\"}",
     "STRASSE \xce\xa3\xce\x91\xce\xa3 stra\xc3\x9f"
     "e \xcf\x83\xce\xb1\xcf\x82"},
    {"[${a:trim()}]", "{\"a\":\"\\u0001 x \\u00a0 \\n\"}", "[x \xc2\xa0]"},
    {"${a:length()} ${a:substring(2)} ${a:substring(0,2):length()} ${a:indexOf('b')}",
     "{\"a\":\"\\ud834\\udd1eb\"}", "3 b 2 2"},
    {"${a:substring(1)} ${a:substring(0,1)}", "{\"a\":\"\\ud834\\udd1eb\"}",
     "\xef\xbf\xbd"
     "b \xef\xbf\xbd"},
    {"${a:substring(-1)}${a:substring(4)}${a:substring(2,1)}${a:substring(0,4)}", "{\"a\":\"abc\"}",
     ""},
    {"${a:substring(3)}|${a:substring(1,1)}|${a:substring('1','2.9')}", "{\"a\":\"abc\"}", "||b"},
    {"${a:substringBefore('.')} ${a:substringBeforeLast('.')}", "{\"a\":\"x.y.z\"}", "x x.y"},
    {"${a:substringAfter('.')} ${a:substringAfterLast('.')}", "{\"a\":\"x.y.z\"}", "y.z z"},
    {"${a:substringAfterLast('aa')} ${a:lastIndexOf('aa')}", "{\"a\":\"aaab\"}", "b 1"},
    {"${a:padLeft(10)} ${a:padLeft(10,'xy')} ${a:padRight(8,'abcdef')}", "{\"a\":\"hello\"}",
     "_____hello xyxyxhello helloabc"},
    {"${a:padLeft(3,'0')} ${a:padLeft(-1)} ${a:padLeft(9,'')}", "{\"a\":\"hello\"}",
     "hello hello ____hello"},
    {"${a:padRight(7,${no})} <${no:repeat(0)}>", "{\"a\":\"hello\"}", "hello__ <>"},
    {"${a:repeat(3)} ${a:repeat(2,2)}", "{\"a\":\"ab\"}", "ababab abab"},
    {"${a:replace('.','_')} ${a:replace('','-')} ${a:replace('y','')}", "{\"a\":\"x.y\"}",
     "x_y -x-.-y- x."},
    {"${a:replaceAll('[^,]',''):length():plus(1)}", "{\"a\":\"p,q,r\"}", "3"},
    {"${a:replaceAll('(.)(.)','$2$1')} ${a:replaceFirst('\\.','')}", "{\"a\":\"ab.d\"}",
     "bad. abd"},
    {"${a:getDelimitedField(1)}|${a:getDelimitedField(2):trim()}|${a:getDelimitedField(9)}",
     "{\"a\":\"\\\"Jacobson, John\\\", 32, Mr.\"}", "\"Jacobson, John\"|32|"},
    {"${a:getDelimitedField(1, ',', '\"', '\\\\', true)}",
     "{\"a\":\"\\\"Jacobson, John\\\", 32, Mr.\"}", "Jacobson, John"},
    {"${a:getDelimitedField(2,'|')} ${a:getDelimitedField(1)}", "{\"a\":\"x|y\\\\,z,q\"}",
     "y\\,z,q x|y\\,z"},
    /* codes */
    {"${a:hash('MD5')}", "{\"a\":\"abc\"}", "900150983cd24fb0d6963f7d28e17f72"},
    {"${a:base64Encode()} ${a:base64Encode():base64Decode()}", "{\"a\":\"f\xc3\xa9\"}",
     "ZsOp f\xc3\xa9"},
    {"${a:urlEncode()} ${a:urlEncode():urlDecode()}", "{\"a\":\"x y/~*\"}", "x+y%2F%7E* x y/~*"},
    {"${a:escapeJson()}", "{\"a\":\"\\\"/\\\\\\u0001\\n\xc3\xa9\\ud834\\udd1e\"}",
     "\\\"\\/\\\\\\u0001\\n\\u00E9\\uD834\\uDD1E"},
    {"${a:escapeJson():unescapeJson():equals(${a})}", "{\"a\":\"\\\"/\\\\\\u0001\\ud834\\udd1e\"}",
     "true"},
    {"${a:escapeXml()} ${a:escapeXml():unescapeXml()}", "{\"a\":\"<&>'\"}",
     "&lt;&amp;&gt;&apos; <&>'"},
    {"${a:unescapeXml()}", "{\"a\":\"&#233;&#x1D11E;&no;&\"}", "\xc3\xa9\xf0\x9d\x84\x9e&no;&"},
    {"${a:escapeCsv()} ${a:escapeCsv():unescapeCsv()} ${b:escapeCsv()}",
     "{\"a\":\"x,\\\"y\",\"b\":\"z\"}", "\"x,\"\"y\" x,\"y z"},
    {"${a:isJson()} ${b:isJson()}", "{\"a\":{\"x\":1},\"b\":\"nope\"}", "true false"},
    {"${a:jsonPath('$.x[1]')} ${a:jsonPath('$.s')} ${a:jsonPath('$.no')}|${a:jsonPath('$.x')}",
     "{\"a\":{\"x\":[1,2],\"s\":\"\\u00e9\"}}", "2 \xc3\xa9 |[1,2]"},
    {"${a:UUID3('6ba7b810-9dad-11d1-80b4-00c04fd430c8')}", "{\"a\":\"hello\"}",
     "0bacede4-4014-3f9d-b720-173f68a1c933"},
    {"${a:UUID5('6ba7b810-9dad-11d1-80b4-00c04fd430c8')}", "{\"a\":\"hello\"}",
     "9342d47a-1bab-5709-9869-c840b2eac501"},
    {"${UUID():length()} ${UUID():matches('[0-9a-f-]{36}')}", "{}", "36 true"},
    /* texts as templates */
    {"${a:evaluateELString()}", "{\"a\":\"<${b:toUpper()}>\",\"b\":\"y\"}", "<Y>"},
    {"${a:append('${b}')}", "{\"a\":\"x\",\"b\":\"${a}\"}", "x${a}"},
};

Test(attr, functions)
{
    CHECK(functions, false, FAILS);
    CHECK(functions, true, FAILS);
}

#define GUIDE                                                                                      \
    "{\"abc\":\"hello world\",\"xyz\":\"good bye world\",\"filename\":\"file.txt\","               \
    "\"list\":\"1,2,3,4,5\",\"none\":null}"

static const struct row several[] = {
    {"${anyAttribute('abc','xyz'):contains('bye')}", GUIDE, "true"},
    {"${anyAttribute('filename','xyz'):toUpper():contains('e')}", GUIDE, "false"},
    {"${allAttributes('abc','xyz'):contains('world')}", GUIDE, "true"},
    {"${allAttributes('abc','filename','xyz'):toUpper():contains('e')}", GUIDE, "false"},
    {"${anyMatchingAttribute('[ax].*'):contains('bye')}", GUIDE, "true"},
    {"${anyMatchingAttribute('.*'):isNull()}", GUIDE, "false"},
    {"${allMatchingAttributes('f.*'):count()}", GUIDE, "1"},
    {"${allMatchingAttributes('no.*'):count()} ${allMatchingAttributes('no.*'):isNull()}", GUIDE,
     "0 true"},
    {"${allMatchingAttributes('[ax].*'):substringBefore(' '):join('-')}", GUIDE, "hello-good"},
    {"${allAttributes('abc','no','xyz'):count()}", GUIDE, "2"},
    {"${allAttributes('abc','xyz'):contains('good'):count()}", GUIDE, "1"},
    {"${allMatchingAttributes('.*'):length():gt(9):count():plus(1)}", GUIDE, "3"},
    {"${allDelineatedValues(${list}, ','):count()}", GUIDE, "5"},
    {"${allDelineatedValues(${list}, ','):matches('[0-9]+')}", GUIDE, "true"},
    {"${anyDelineatedValue('${list}', ','):equals('5')}", GUIDE, "true"},
    {"${allDelineatedValues('a||b||', '||'):join('+')}", "{}", "a+b"},
    {"${literal(${allMatchingAttributes('a.*'):count()}):gt(0)}", GUIDE, "true"},
    {"${abc:append(${allAttributes('filename','list'):join(${allAttributes('abc'):count()})})}",
     GUIDE, "hello worldfile.txt11,2,3,4,5"},
    {"${allMatchingAttributes('a'):join('')}", "{\"a\":\"1\",\"a\":\"2\"}", "2"},
    {"${allMatchingAttributes('a'):count()}", "[1]", "0"},
};

Test(attr, several_values)
{
    CHECK(several, false, FAILS);
}

static const struct row dates[] = {
    {"${a:format(\"yyyy/MM/dd HH:mm:ss.SSS'Z'\")}", "{\"a\":\"1420058163264\"}",
     "2014/12/31 20:36:03.264Z"},
    {"${a:format(\"yyyy-MM-dd'T'HH:mmXXX\", 'GMT+05:30')}", "{\"a\":\"1420058163264\"}",
     "2015-01-01T02:06+05:30"},
    {"${a:format('EEE EEEE d MMM MMMM yy h:mm a D Z z X')}", "{\"a\":\"0\"}",
     "Thu Thursday 1 Jan January 70 12:00 AM 1 +0000 UTC Z"},
    {"${a:format(\"''yyyy''\")}", "{\"a\":\"-1\"}", "'1969'"},
    {"${a:toDate('MM-dd-yyyy'):format('yyyy/MM/dd')}", "{\"a\":\"12-24-2014\"}", "2014/12/24"},
    {"${a:toDate('yyyy')}", "{\"a\":\"2014\"}", "Wed Jan 01 00:00:00 UTC 2014"},
    {"${a:toDate('yyyyMMddHHmmss'):toNumber()}", "{\"a\":\"20141231203603\"}", "1420058163000"},
    {"${a:toDate('dd MMM yyyy hh:mm a Z'):toNumber()}", "{\"a\":\"31 dec 2014 08:36 PM +0100\"}",
     "1420054560000"},
    {"${a:format('uuuu-MM-dd HH:mm:ss.SSS')}", "{\"a\":\"-9223372036854775808\"}",
     "-292275055-05-16 16:47:04.192"},
    {"${a:toDate('yyyy-MM-dd', 'GMT-01:00'):toNumber()}", "{\"a\":\"1970-01-01\"}", "3600000"},
    {"${a:toDate('yyyy/MM/dd HH:mm:ss.SSS'):toNumber():minus(86400000):format('E')}",
     "{\"a\":\"2014/12/31 15:36:03.264\"}", "Tue"},
    {"${a:format(\"'it''s' '' '''' y\")}", "{\"a\":\"0\"}", "it's ' ' 1970"},
    {"${a:format('MMMMM L LLLL EEEEE x xx xxx ZZZZ ZZZZZ')}", "{\"a\":\"0\"}",
     "J 1 January T +00 +0000 +00:00 GMT Z"},
    {"${a:format('z x xxx X ZZZZ ZZZZZ','UT+1')} ${a:format('z X','-0530')}", "{\"a\":\"0\"}",
     "UT+01:00 +01 +01:00 +01 GMT+01:00 +01:00 -05:30 -0530"},
    {"${b:toNumber():toDate()} ${b:format('yyyy yy')}", "{\"b\":\"253402300800000\"}",
     "Sat Jan 01 00:00:00 UTC 10000 +10000 00"},
    {"${a:format('H',${no})} <${a:toDate(${no})}>", "{\"a\":\"0\"}", "0 <>"},
    {"<${a:toDate()}> ${a:format('ss')}", "{\"a\":\"Wed Dec 31 12:00:04 UTC 2014\"}", "<> 04"},
    {"${a:format('SSS')} ${b:format('ss')}",
     "{\"a\":\"2014/12/31 12:00:04.567\",\"b\":\"2014/12/31 12:00:04\"}", "567 04"},
    {"${a:toDate('SSS'):equals(7)} ${a:toDate('SSS'):equals(0)}", "{\"a\":\"007\"}", "true false"},
    {"${now():format('yyyy'):length()} ${now():toNumber():gt(1700000000000)}", "{}", "4 true"},
    {"${no:format('yyyy'):isNull()} ${no:toDate('yyyy'):isNull()}", "{}", "true true"},
};

Test(attr, dates)
{
    CHECK(dates, false, FAILS);
}

/* What goes wrong on a line. */
static const struct row failing[] = {
    {"${a:divide(0)}", "{\"a\":\"1\"}", NULL},
    {"${a:mod(0)}", "{\"a\":\"1\"}", NULL},
    {"${a:substring('x')}", "{\"a\":\"abc\"}", NULL},
    {"${a:substring(${no})}", "{\"a\":\"abc\"}", NULL},
    {"${a:toNumber()}", "{\"a\":\"99999999999999999999\"}", NULL},
    {"${a:plus(1)}", "{\"a\":\"-9223372036854775809\"}", NULL},
    {"${a:hash(${b})}", "{\"a\":\"x\",\"b\":\"NOPE\"}", NULL},
    {"${a:matches(${b})}", "{\"a\":\"x\",\"b\":\"(\"}", NULL},
    {"${a:replaceAll('x','$1')}", "{\"a\":\"x\"}", NULL},
    {"${a:base64Decode()}", "{\"a\":\"*\"}", NULL},
    {"${a:urlDecode()}", "{\"a\":\"%4\"}", NULL},
    {"${a:evaluateELString()}", "{\"a\":\"${\\\"\"}", "${\""},
    {"${a:evaluateELString()}", "{\"a\":\"${5}\"}", NULL},
    {"${a:evaluateELString()}", "{\"a\":\"${a:evaluateELString()}\"}", NULL},
    {"${a:repeat(0)}", "{\"a\":\"x\"}", NULL},
    {"${a:repeat(1000000000)}", "{\"a\":\"x\"}", NULL},
    {"${a:padLeft(2000000000)}", "{\"a\":\"x\"}", NULL},
    {"${a:fromRadix(1)}", "{\"a\":\"5\"}", NULL},
    {"${a:getDelimitedField(1,'\"')}", "{\"a\":\"5\"}", NULL},
    {"${a:format('yyyy')}", "{\"a\":\"x\"}", NULL},
    {"${a:fromRadix(2)}", "{\"a\":\"12\"}", NULL},
    {"${a:math('nope')}", "{\"a\":\"1\"}", NULL},
    {"${a:format('QQQ')}", "{\"a\":\"1\"}", NULL},
    {"${a:format('ddd')}", "{\"a\":\"1\"}", NULL},
    {"${a:format('[y]')}", "{\"a\":\"1\"}", NULL},
    {"${a:format(\"'y\")}", "{\"a\":\"1\"}", NULL},
    {"${a:format('yyyy',${z})}", "{\"a\":\"1\",\"z\":\"Mars\"}", NULL},
    {"${a:toDate('yyyy')}", "{\"a\":\"x\"}", NULL},
    {"${a:toDate('y')}", "{\"a\":\"999999999\"}", NULL},
    {"${a:toDate('yyyy-MM-dd')}", "{\"a\":\"2014-02-30\"}", NULL},
    {"${a:jsonPath('$.x')}", "{\"a\":\"{\"}", NULL},
    {"${a:UUID3('x')}", "{\"a\":\"x\"}", NULL},
};

Test(attr, failing)
{
    CHECK(failing, false, FAILS);
    CHECK(failing, true, FAILS);
}

/* What does not parse, whatever the rules. */
static const char *const refused[] = {
    "${}",
    "${5}",
    "${5a}",
    "${a b}",
    "${a:}",
    "${a:toUpper}",
    "${a:toUpper(}",
    "${a:toUpper()",
    "${a:nope()}",
    "${a:toUpper(1)}",
    "${a:append()}",
    "${a:append(b)}",
    "${a:append('x' 'y')}",
    "${a:append('x',)}",
    "${a[0]}",
    "${toUpper()}",
    "${a:UUID()}",
    "${UUID3('x')}",
    "${a:ip()}",
    "${ip()}",
    "${a:plus(true)}",
    "${a:length():not()}",
    "${a:isNull():plus(1)}",
    "${a,b}",
    "${:toUpper()}",
    "${anyAttribute('a')}",
    "${allAttributes('a'):toUpper()}",
    "${anyAttribute('a'):count()}",
    "${a:append(anyAttribute('b'))}",
    "${a:plus(99999999999999999999)}",
    "${a:append(${b)}",
    "${a # x}",
    "${a:escapeHtml4()}",
    "${a:append(5x)}",
};

Test(attr, refused)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        for (int nifi = 0; nifi <= 1; nifi++) {
            struct row r = {refused[i], "{}", NULL};
            struct buf out = {0};
            enum outcome got = evaluate(&r, nifi, &out, NULL);
            /* without its end an expression is text */
            bool text = got == GIVES && strcmp(buf_text(&out), refused[i]) == 0;
            cr_expect(got == REFUSED || text, "%s: %s", refused[i], buf_text(&out));
            buf_release(&out);
        }
    }
}

/* Where fanline's own rules differ: the list in the manual page. */
static const struct {
    const char *text;
    const char *line;
    enum outcome ours;
    const char *ours_text;
    enum outcome nifis;
    const char *nifis_text;
} differences[] = {
    {"${count}", "{\"count\":\"7\"}", GIVES, "7", REFUSED, NULL},
    {"${true}${in}${unique}", "{\"in\":\"7\"}", GIVES, "7", REFUSED, NULL},
    {"${a:plus(1)}", "{\"a\":\"9223372036854775807\"}", FAILS, NULL, GIVES, "-9223372036854775808"},
    {"${a:minus(1)}", "{\"a\":\"-9223372036854775808\"}", FAILS, NULL, GIVES,
     "9223372036854775807"},
    {"${a:multiply(2)}", "{\"a\":\"9223372036854775807\"}", FAILS, NULL, GIVES, "-2"},
    {"${a:divide(-1)}", "{\"a\":\"-9223372036854775808\"}", FAILS, NULL, GIVES,
     "-9223372036854775808"},
    {"${a:toNumber()}", "{\"a\":\"1.0e30\"}", FAILS, NULL, GIVES, "9223372036854775807"},
    {"${a:gt(5)}", "{\"a\":\"99999999999999999999\"}", GIVES, "true", FAILS, NULL},
    {"${a:lt(${b})}", "{\"a\":\"99999999999999999998\",\"b\":\"+099999999999999999999\"}", GIVES,
     "true", FAILS, NULL},
    {"${a:le(-5)}", "{\"a\":\"-99999999999999999999\"}", GIVES, "true", FAILS, NULL},
    {"${a:append(\"say \\\"hi\\\"\")}", "{\"a\":\"x\"}", GIVES, "xsay \"hi\"", GIVES,
     "${a:append(\"say \\\"hi\\\"\")}"},
    {"${a # it's\n:toUpper()}", "{\"a\":\"x\"}", GIVES, "X", GIVES, "${a # it's\n:toUpper()}"},
    {"$$$$ ${a}$$", "{\"a\":\"x\"}", GIVES, "$$$$ x$$", GIVES, "$$ x$"},
    {"{x}$${a}", "{\"a\":\"x\"}", GIVES, "{x}${a}", GIVES, "{x}${a}"},
    {"{x}$${a}${a}", "{\"a\":\"x\"}", GIVES, "{x}${a}x", GIVES, "{x}$${a}x"},
    {"${a:append('$$${a:toUpper()}')}", "{\"a\":\"x\"}", GIVES, "x$X", GIVES, "x$$X"},
    {"${a:append('\\${a}')}", "{\"a\":\"x\"}", GIVES, "x\\x", GIVES, "xx"},
    {"${a:append('\t')}", "{\"a\":\"x\"}", GIVES, "x\t", REFUSED, NULL},
    {"${null}${isValidDate}", "{\"null\":\"x\"}", GIVES, "x", REFUSED, NULL},
    {"${a:plus(0x1F)}", "{\"a\":\"1\"}", GIVES, "32", REFUSED, NULL},
    {"${a:append(literal('y'))}", "{\"a\":\"x\"}", GIVES, "xy", REFUSED, NULL},
    {"${allAttributes('a'):count():plus(1)}", "{\"a\":\"x\"}", GIVES, "2", REFUSED, NULL},
    {"${anyAttribute('${a}'):isNull()}", "{\"a\":\"x\"}", GIVES, "true", REFUSED, NULL},
    {"${' '}", "{}", GIVES, "", FAILS, NULL},
    {"${literal(${no})}", "{}", GIVES, "", GIVES, "null"},
    {"${no:not()}", "{}", GIVES, "true", FAILS, NULL},
    {"${no:and(true)}", "{}", GIVES, "false", GIVES, "true"},
    {"${a:and(${no})}", "{\"a\":\"true\"}", GIVES, "false", GIVES, ""},
    {"${a:substringAfterLast(${no})}", "{\"a\":\"x\"}", GIVES, "x", FAILS, NULL},
    {"${a:indexOf(${no})}", "{\"a\":\"x\"}", GIVES, "-1", FAILS, NULL},
    {"${a:replaceAll('y',${no})}", "{\"a\":\"x\"}", FAILS, NULL, GIVES, "x"},
    {"${a:substring(4294967297)}", "{\"a\":\"xyz\"}", GIVES, "", GIVES, "yz"},
    {"${a:toRadix(16,4)}", "{\"a\":\"-255\"}", GIVES, "-0ff", GIVES, "0-ff"},
    {"${a:toRadix(1)}", "{\"a\":\"5\"}", FAILS, NULL, GIVES, "5"},
    {"${a:math('sqrt')}", "{\"a\":\"16\"}", GIVES, "4.0", FAILS, NULL},
    {"${a:math('max',2.5)}", "{\"a\":\"16\"}", GIVES, "16.0", FAILS, NULL},
    {"${no:jsonPath('$.x'):isNull()}", "{}", GIVES, "true", FAILS, NULL},
    {"${a:jsonPath('$.x')}", "{\"a\":\"{\\\"x\\\":[[1]]}\"}", GIVES, "[[1]]", GIVES, "1"},
    {"${a:base64Decode()}", "{\"a\":\"/w==\"}", FAILS, NULL, GIVES, "\xef\xbf\xbd"},
    {"${allDelineatedValues(${a},'|'):count()}", "{\"a\":\"p|q\"}", GIVES, "2", GIVES, "3"},
    {"${allDelineatedValues(${a},'[.]'):join(' ')}", "{\"a\":\"p.q\"}", GIVES, "p.q", GIVES, "p q"},
    {"${a:append('x)}", "{\"a\":\"x\"}", REFUSED, NULL, GIVES, "${a:append('x)}"},
    {"${a:hash('NOPE')}", "{\"a\":\"x\"}", REFUSED, NULL, FAILS, NULL},
    {"${a:replaceAll('(','y')}", "{\"a\":\"x\"}", REFUSED, NULL, FAILS, NULL},
    {"${a:format('yyyy','Mars')}", "{\"a\":\"1\"}", REFUSED, NULL, FAILS, NULL},
};

Test(attr, differences)
{
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++) {
        for (int nifi = 0; nifi <= 1; nifi++) {
            struct row r = {differences[i].text, differences[i].line, NULL};
            const char *text = nifi ? differences[i].nifis_text : differences[i].ours_text;
            struct buf out = {0};
            cr_expect_eq(evaluate(&r, nifi, &out, NULL),
                         nifi ? differences[i].nifis : differences[i].ours, "%s, nifi %d: %s",
                         r.text, nifi, buf_text(&out));
            if (text) {
                cr_expect_str_eq(buf_text(&out), text, "%s, nifi %d", r.text, nifi);
            }
            buf_release(&out);
        }
    }
}

Test(attr, messages)
{
    static const struct row rows[] = {
        {"x${a:toUpper}", "{}", "expression 'x${a:toUpper}': '(' expected at character 13"},
        {"\xc3\xa9${a:nope()}", "{}",
         "expression '\xc3\xa9${a:nope()}': there is no function 'nope' at character 6"},
        {"${a:append('${b c}')}", "{}",
         "expression '${a:append('${b c}')}': ':' or '}' expected at character 12"},
        {"${ip()}", "{}", "expression '${ip()}': the function ip is not offered at character 3"},
        {"${a:append()}", "{}",
         "expression '${a:append()}': append wants 1 argument, not 0 at character 5"},
        {"${a:divide(0)}", "{\"a\":\"1\"}",
         "expression '${a:divide(0)}': divide: division by zero at character 5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf out = {0};
        cr_expect_neq(evaluate(&rows[i], false, &out, NULL), GIVES);
        cr_expect_str_eq(buf_text(&out), rows[i].gives);
        buf_release(&out);
    }
}

/* Is the template constant, and did a value go missing? */
Test(attr, constant_and_missing)
{
    static const struct {
        const char *text;
        bool constant;
        bool missing;
    } rows[] = {
        {"text", true, false},
        {"", true, false},
        {"$${a}", true, false},
        {"x${literal('y'):toUpper()}", true, false},
        {"${literal(5):plus(2):equals('7')}", true, false},
        {"${literal('x'):toNumber()}", true, true},
        {"${UUID()}", false, false},
        {"${literal('x'):append(${a})}", false, false},
        {"${a}", false, false},
        {"${no}", false, true},
        {"x${no}", false, true},
        {"${no:append('')}", false, false},
        {"${no:trim()}", false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct attr_template *t;
        struct err e = {0};
        struct buf out = {0};
        bool missing = !rows[i].missing;
        cr_assert_eq(attr_compile(&t, rows[i].text, &e), 0, "%s", e.text);
        cr_expect_eq(attr_is_constant(t), rows[i].constant, "%s", rows[i].text);
        cr_expect_eq(attr_eval(t, SPAN_LIT("{\"a\":\"1\"}"), &out, &missing, &e), 0);
        cr_expect_eq(missing, rows[i].missing, "%s", rows[i].text);
        buf_release(&out);
        attr_free(t);
    }
}

/* Deep and long expressions end, one way or the other. */
Test(attr, limits)
{
    struct buf text = {0};
    struct attr_template *t = NULL;
    struct err e = {0};
    for (int i = 0; i < 1000; i++) {
        buf_add_text(&text, "${");
    }
    for (int i = 0; i < 1000; i++) {
        buf_add_text(&text, "}");
    }
    cr_expect_eq(attr_compile(&t, buf_text(&text), &e), -1);
    buf_reset(&text);
    buf_add_text(&text, "${a");
    for (int i = 0; i < 100000; i++) {
        buf_add_text(&text, ":trim()");
    }
    buf_add_text(&text, "}");
    cr_assert_eq(attr_compile(&t, buf_text(&text), &e), 0, "%s", e.text);
    struct buf out = {0};
    cr_expect_eq(attr_eval(t, SPAN_LIT("{\"a\":\" x \"}"), &out, NULL, &e), 0);
    cr_expect_str_eq(buf_text(&out), "x");
    attr_free(t);
    buf_reset(&text);
    for (int i = 0; i < 100000; i++) {
        buf_add_text(&text, "$${");
    }
    buf_add_text(&text, "}");
    cr_expect_eq(attr_compile(&t, buf_text(&text), &e), 0);
    cr_expect(attr_is_constant(t));
    attr_free(t);
    buf_release(&out);
    buf_release(&text);
}
