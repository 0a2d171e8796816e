// A process target for assay: @NAME@, for the operation @OPERATION@.
//
//   rustc --edition 2021 -O -o @NAME@ @NAME@.rs
//   assay certify --exec ./@NAME@ @SUITE@
//
// One function is yours to fill in: compute. As it stands, the target says of every case that it
// does not support it. It needs no crate; a small reader of JSON stands at its end.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, Write};

const DONE: bool = false; // set this to true when compute is done

/// Its data are little-endian elements.
#[derive(Clone)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data: Vec<u8>,
}

#[allow(dead_code)]
enum Refusal {
    Rejected(String), // the library refused the request as invalid
    Failed(String),   // all else that went wrong
}

/// The outputs by name (@OUTPUTS@). Inputs: @INPUTS@. Call your library here.
#[allow(unused_variables)]
fn compute(
    attributes: &BTreeMap<String, Json>,
    inputs: &BTreeMap<String, Tensor>,
) -> Result<BTreeMap<String, Tensor>, Refusal> {
@ATTRIBUTES@
    Ok(BTreeMap::new())
}

fn supports(request: &Json) -> Option<&'static str> {
    if !DONE {
        return Some("compute is not written yet");
    }
    if request.get("op").text() != "@OPERATION@" {
        return Some("this target computes @OPERATION@ only");
    }
    if !request.get("window").list().is_empty() {
        return Some("no windows");
    }
    None
}

// ---- what is the same for every target --------------------------------------

fn size_of(dtype: &str) -> usize {
    match dtype {
        "bool" | "i8" | "u8" | "f8e4m3" | "f8e5m2" | "f8e4m3fnuz" | "f8e5m2fnuz" | "f8e8m0" => 1,
        "f4e2m1" | "i4" | "u4" | "i2" | "u2" => 1, // the code in the low bits of a byte
        "i16" | "u16" | "f16" | "bf16" => 2,
        "i32" | "u32" | "f32" => 4,
        _ => 8,
    }
}

fn read_tensor(of: &Json, directory: &str) -> Result<Tensor, String> {
    let dtype = of.get("dtype").text().to_string();
    let shape = of.get("shape").list().iter().map(|n| n.number() as usize).collect();
    let mut data = Vec::new();
    for bits in of.get("bits").list() {
        let hex = bits.text();
        for at in (0..hex.len()).step_by(2).rev() {
            data.push(u8::from_str_radix(&hex[at..at + 2], 16).map_err(|e| e.to_string())?);
        }
    }
    if !of.get("file").text().is_empty() {
        let path = format!("{directory}/{}", of.get("file").text());
        let file = fs::read(path).map_err(|e| e.to_string())?;
        let start = 8 + u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
        let header = Json::read(&String::from_utf8_lossy(&file[8..start]))?;
        let place = header.get(of.get("tensor").text()).get("data_offsets");
        let ends: Vec<usize> = place.list().iter().map(|n| n.number() as usize).collect();
        data = file[start + ends[0]..start + ends[1]].to_vec();
    }
    Ok(Tensor { dtype, shape, data })
}

fn write_tensor(name: &str, of: &Tensor, directory: &str, id: &str) -> Result<String, String> {
    let size = size_of(&of.dtype);
    let shape: Vec<String> = of.shape.iter().map(usize::to_string).collect();
    let head = format!("\"dtype\": \"{}\", \"shape\": [{}]", of.dtype, shape.join(", "));
    if of.data.len() / size <= 64 {
        let bits: Vec<String> = of
            .data
            .chunks(size)
            .map(|e| e.iter().rev().map(|b| format!("{b:02x}")).collect::<String>())
            .map(|hex| format!("\"{hex}\""))
            .collect();
        return Ok(format!("\"{name}\": {{{head}, \"bits\": [{}]}}", bits.join(", ")));
    }
    let kind = match of.dtype.as_str() {
        "f4e2m1" | "i4" | "u4" | "i2" | "u2" => "U8".to_string(),
        dtype => dtype.to_uppercase().replace("F8E", "F8_E"),
    };
    let header = format!(
        "{{\"{name}\": {{\"dtype\": \"{kind}\", \"shape\": [{}], \"data_offsets\": [0, {}]}}}}",
        shape.join(", "),
        of.data.len()
    );
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.bytes());
    file.extend(&of.data);
    let path = format!("out-{id}-{name}.safetensors");
    fs::write(format!("{directory}/{path}"), file).map_err(|e| e.to_string())?;
    Ok(format!("\"{name}\": {{{head}, \"file\": \"{path}\", \"tensor\": \"{name}\"}}"))
}

fn run(request: &Json, directory: &str) -> Result<String, Refusal> {
    let mut inputs = BTreeMap::new();
    for (name, of) in request.get("inputs").map() {
        let tensor = read_tensor(of, directory).map_err(Refusal::Failed)?;
        inputs.insert(name.clone(), tensor);
    }
    let outputs = compute(request.get("attributes").map(), &inputs)?;
    let mut written = Vec::new();
    for (name, of) in &outputs {
        let id = request.get("id").text();
        written.push(write_tensor(name, of, directory, id).map_err(Refusal::Failed)?);
    }
    Ok(format!("{{\"outputs\": {{{}}}}}", written.join(", ")))
}

fn main() {
    let mut directory = String::from(".");
    for text in io::stdin().lock().lines() {
        let line = match text.map_err(|e| e.to_string()).and_then(|text| Json::read(&text)) {
            Ok(line) => line,
            Err(_) => return,
        };
        let answer = if line.has("hello") {
            directory = line.get("directory").text().to_string();
            "{\"name\": \"@NAME@\", \"version\": \"0\", \"operations\": [\"@OPERATION@\"]}".into()
        } else if line.has("supports") {
            match supports(line.get("supports")) {
                Some(why) => format!("{{\"unsupported\": {why:?}}}"),
                None => "{\"supported\": true}".into(),
            }
        } else {
            match run(line.get("run"), &directory) {
                Ok(answer) => answer,
                Err(Refusal::Rejected(why)) => format!("{{\"rejected\": {}}}", quote(&why)),
                Err(Refusal::Failed(why)) => format!("{{\"failed\": {}}}", quote(&why)),
            }
        };
        println!("{answer}");
        io::stdout().flush().ok();
    }
}

fn quote(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c < ' ' { ' ' } else { c }).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

// ---- JSON -------------------------------------------------------------------

enum Json {
    Nothing,
    Truth(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Map(BTreeMap<String, Json>),
}

static NOTHING: Json = Json::Nothing;
static EMPTY: BTreeMap<String, Json> = BTreeMap::new();

#[allow(dead_code)]
impl Json {
    fn read(text: &str) -> Result<Json, String> {
        let mut reader = Reader { text: text.chars().collect(), at: 0 };
        reader.value()
    }
    fn get(&self, key: &str) -> &Json {
        self.map().get(key).unwrap_or(&NOTHING)
    }
    fn has(&self, key: &str) -> bool {
        self.map().contains_key(key)
    }
    fn map(&self) -> &BTreeMap<String, Json> {
        if let Json::Map(map) = self { map } else { &EMPTY }
    }
    fn list(&self) -> &[Json] {
        if let Json::List(list) = self { list } else { &[] }
    }
    fn text(&self) -> &str {
        if let Json::Text(text) = self { text } else { "" }
    }
    fn number(&self) -> f64 {
        if let Json::Number(number) = self { *number } else { 0.0 }
    }
    fn truth(&self) -> bool {
        matches!(self, Json::Truth(true))
    }
}

struct Reader {
    text: Vec<char>,
    at: usize,
}

impl Reader {
    fn look(&mut self) -> char {
        while self.at < self.text.len() && self.text[self.at].is_whitespace() {
            self.at += 1;
        }
        *self.text.get(self.at).unwrap_or(&'\0')
    }
    fn take(&mut self, wanted: char) -> Result<(), String> {
        let found = self.look();
        self.at += 1;
        if found == wanted { Ok(()) } else { Err(format!("expected {wanted}, found {found}")) }
    }
    fn string(&mut self) -> Result<String, String> {
        self.take('"')?;
        let mut text = String::new();
        while self.at < self.text.len() {
            let c = self.text[self.at];
            self.at += 1;
            match c {
                '"' => return Ok(text),
                '\\' => {
                    let escaped = *self.text.get(self.at).unwrap_or(&'\0');
                    self.at += 1;
                    match escaped {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'u' => {
                            let end = (self.at + 4).min(self.text.len());
                            let hex: String = self.text[self.at..end].iter().collect();
                            self.at = end;
                            let code = u32::from_str_radix(&hex, 16).unwrap_or(0xfffd);
                            text.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                        }
                        other => text.push(other),
                    }
                }
                c => text.push(c),
            }
        }
        Err("a text does not end".into())
    }
    fn value(&mut self) -> Result<Json, String> {
        match self.look() {
            '{' => {
                let mut map = BTreeMap::new();
                self.take('{')?;
                while self.look() != '}' {
                    if !map.is_empty() {
                        self.take(',')?;
                        self.look();
                    }
                    let key = self.string()?;
                    self.take(':')?;
                    map.insert(key, self.value()?);
                }
                self.take('}')?;
                Ok(Json::Map(map))
            }
            '[' => {
                let mut list = Vec::new();
                self.take('[')?;
                while self.look() != ']' {
                    if !list.is_empty() {
                        self.take(',')?;
                    }
                    list.push(self.value()?);
                }
                self.take(']')?;
                Ok(Json::List(list))
            }
            '"' => Ok(Json::Text(self.string()?)),
            _ => {
                let start = self.at;
                while self.at < self.text.len() && !",]} \n".contains(self.text[self.at]) {
                    self.at += 1;
                }
                let word: String = self.text[start..self.at].iter().collect();
                match word.as_str() {
                    "true" => Ok(Json::Truth(true)),
                    "false" => Ok(Json::Truth(false)),
                    "null" => Ok(Json::Nothing),
                    word => word.parse().map(Json::Number).map_err(|_| format!("'{word}'")),
                }
            }
        }
    }
}
