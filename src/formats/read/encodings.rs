//! Texts in other encodings than UTF-8: UTF-16 with a mark, and those of one byte a character
//! that XML files declare.

use std::borrow::Cow;

use super::fault::{NO_UTF8, ReadError};

/// The names of encodings, and their characters: from byte 0x80 on, or from 0xa0 where the
/// bytes before are themselves. Latin-1 is read as the superset of it that was meant, as the
/// Encoding Standard (WHATWG) says.
#[rustfmt::skip]
const ENCODINGS: &[(&[&str], &str)] = &[
    (&["windows-1252", "iso-8859-1", "latin1", "us-ascii", "ascii", "cp1252"], "€\u{fffd}‚ƒ„…†‡ˆ‰Š‹Œ\u{fffd}Ž\u{fffd}\u{fffd}‘’“”•–—˜™š›œ\u{fffd}žŸ\u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"),
    (&["iso-8859-15", "latin-9", "latin9"], "\u{a0}¡¢£€¥Š§š©ª«¬\u{ad}®¯°±²³Žµ¶·ž¹º»ŒœŸ¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"),
    (&["windows-1250", "cp1250"], "€\u{fffd}‚\u{fffd}„…†‡\u{fffd}‰Š‹ŚŤŽŹ\u{fffd}‘’“”•–—\u{fffd}™š›śťžź\u{a0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{ad}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"),
    (&["iso-8859-2", "latin2"], "\u{a0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{ad}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"),
    (&["windows-1251", "cp1251"], "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{fffd}™љ›њќћџ\u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕїАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя"),
    (&["koi8-r"], "─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{a0}⌡°²·÷═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"),
    (&["iso-8859-5"], "\u{a0}ЁЂЃЄЅІЇЈЉЊЋЌ\u{ad}ЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя№ёђѓєѕіїјљњћќ§ўџ"),
    (&["windows-1253", "cp1253"], "€\u{fffd}‚ƒ„…†‡\u{fffd}‰\u{fffd}‹\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}‘’“”•–—\u{fffd}™\u{fffd}›\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{a0}΅Ά£¤¥¦§¨©\u{fffd}«¬\u{ad}®―°±²³΄µ¶·ΈΉΊ»Ό½ΎΏΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ\u{fffd}ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ\u{fffd}"),
    (&["iso-8859-7"], "\u{a0}‘’£€₯¦§¨©ͺ«¬\u{ad}\u{fffd}―°±²³΄΅Ά·ΈΉΊ»Ό½ΎΏΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ\u{fffd}ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ\u{fffd}"),
    (&["windows-1254", "iso-8859-9", "latin5", "cp1254"], "€\u{fffd}‚ƒ„…†‡ˆ‰Š‹Œ\u{fffd}\u{fffd}\u{fffd}\u{fffd}‘’“”•–—˜™š›œ\u{fffd}\u{fffd}Ÿ\u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ"),
    (&["windows-1257", "cp1257"], "€\u{fffd}‚\u{fffd}„…†‡\u{fffd}‰\u{fffd}‹\u{fffd}¨ˇ¸\u{fffd}‘’“”•–—\u{fffd}™\u{fffd}›\u{fffd}¯˛\u{fffd}\u{a0}\u{fffd}¢£¤\u{fffd}¦§Ø©Ŗ«¬\u{ad}®Æ°±²³´µ¶·ø¹ŗ»¼½¾æĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽßąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž˙"),
    (&["iso-8859-13"], "\u{a0}”¢£¤„¦§Ø©Ŗ«¬\u{ad}®Æ°±²³“µ¶·ø¹ŗ»¼½¾æĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽßąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž’"),
];

/// `true` for the beginning of a text in UTF-16 with a mark; the mark of UTF-32 begins with it.
pub(super) fn is_utf_16(head: &[u8]) -> bool {
    matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) && !head.starts_with(b"\xff\xfe\0\0")
}

/// The text of UTF-16 with a mark.
///
/// # Errors
/// If half a character is in it.
pub(super) fn utf_16(bytes: &[u8]) -> Result<String, ReadError> {
    let unit = match bytes {
        [0xff, ..] => u16::from_le_bytes,
        _ => u16::from_be_bytes,
    };
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().skip(1).map(|bytes| unit(*bytes));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    let whole = text.ok().filter(|_| rest.is_empty());
    whole.ok_or_else(|| ReadError::Nothing("it is no whole text in UTF-16".to_owned()))
}

/// The text of an XML file: in UTF-8 if it is that, whatever it declares.
///
/// # Errors
/// If it is in no encoding that is known.
pub(super) fn xml(bytes: &[u8]) -> Result<Cow<'_, str>, ReadError> {
    std::str::from_utf8(bytes).map(Cow::Borrowed).or_else(|error| {
        let declared = declared(bytes);
        let is_name = |name: &&str| declared.as_deref() == Some(*name);
        let known = ENCODINGS.iter().find(|(names, _)| names.iter().any(is_name));
        let Some((_, letters)) = known else {
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
            return Err(ReadError::Line {
                line: before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1,
                why: declared.filter(|name| name != "utf-8").map_or(NO_UTF8.to_owned(), |name| {
                    format!("its encoding {name} is not known: `iconv -f {name} -t UTF-8` converts it")
                }),
            });
        };
        let letters: Vec<char> = letters.chars().collect();
        let first = 256 - letters.len();
        let letter = |byte: &u8| {
            let place = usize::from(*byte).checked_sub(first);
            place.and_then(|place| letters.get(place)).copied().unwrap_or(char::from(*byte))
        };
        Ok(bytes.iter().map(letter).collect())
    })
}

/// The name of the encoding that an XML file declares, in lower case.
fn declared(bytes: &[u8]) -> Option<String> {
    let begin = bytes.get(..bytes.len().min(200))?;
    let end = begin.windows(2).position(|part| part == b"?>")?;
    let head = String::from_utf8_lossy(begin.get(..end)?).to_lowercase();
    let (_, rest) = head.split_once("encoding")?;
    let value = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = value
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\''))?;
    let name = value.split(quote).nth(1)?;
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.:".contains(letter);
    name.chars().all(is_of_name).then(|| name.to_owned())
}
